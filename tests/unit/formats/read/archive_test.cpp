// What the OTF2 reader makes of archives: messages, communicators, our recorder's records, clocks.
//
// SPDX-License-Identifier: BSD-3-Clause
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "libwaitprof/schema/schema.hpp"
#include "tests/unit/formats/read/archive_fixture.hpp"

namespace waitdiag {
namespace {

namespace fs = std::filesystem;
namespace schema = waitprof::schema;
using fixtures::ArchiveWriter;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

TEST_F(ArchiveTest, MessagesOfAllKinds) {
  {
    ArchiveWriter archive(directory, 2);
    const OTF2_RegionRef isend = archive.mpi("MPI_Isend"), irecv = archive.mpi("MPI_Irecv");
    const OTF2_RegionRef wait = archive.mpi("MPI_Waitall"), recv = archive.mpi("MPI_Recv");
    OTF2_EvtWriter* events = archive.events(0);
    archive.enter(0, 10, irecv);
    OTF2_EvtWriter_MpiIrecvRequest(events, nullptr, 11, 1);
    archive.leave(0, 12, irecv);
    archive.enter(0, 20, isend);
    OTF2_EvtWriter_MpiIsend(events, nullptr, 21, 1, 0, 5, 100, 2);
    archive.leave(0, 22, isend);
    archive.enter(0, 30, wait);
    OTF2_EvtWriter_MpiIrecv(events, nullptr, 35, 1, 0, 6, 200, 1);
    OTF2_EvtWriter_MpiIsendComplete(events, nullptr, 36, 2);
    archive.leave(0, 37, wait);
    archive.enter(1, 15, recv);
    OTF2_EvtWriter_MpiRecv(archive.events(1), nullptr, 25, 0, 0, 5, 100);
    archive.leave(1, 26, recv);
  }
  const Trace trace = read_archive(directory);
  const Timeline& timeline = of_rank(trace, 0);
  ASSERT_THAT(timeline.sends(), SizeIs(1));
  EXPECT_EQ(timeline.sends()[0].peer, Rank{1});
  EXPECT_EQ(timeline.sends()[0].tag, 5);
  EXPECT_EQ(timeline.sends()[0].completed, 2u);
  ASSERT_THAT(timeline.receives(), SizeIs(1));
  EXPECT_EQ(timeline.receives()[0].posted, 0u);
  EXPECT_EQ(timeline.receives()[0].time, at(35));
  EXPECT_EQ(timeline.receives()[0].bytes, 200u);
  EXPECT_EQ(of_rank(trace, 1).receives()[0].peer, Rank{0});
  EXPECT_EQ(trace.locations()[0].node, "host1");
  EXPECT_EQ(trace.facts().creator, "archive_writer");
  EXPECT_EQ(trace.facts().events, 13u);
  EXPECT_THAT(trace.anomalies().all(), IsEmpty());
}

TEST_F(ArchiveTest, RanksOfCommunicatorsAreTranslated) {
  {
    ArchiveWriter archive(directory, 3, {.groups_last = true});
    const OTF2_CommRef reversed = archive.comm("", {2, 1, 0});
    const OTF2_RegionRef send = archive.mpi("MPI_Send"), bcast = archive.mpi("MPI_Bcast");
    archive.enter(0, 10, send);
    OTF2_EvtWriter_MpiSend(archive.events(0), nullptr, 11, 0, reversed, 5, 100);
    OTF2_EvtWriter_MpiSend(archive.events(0), nullptr, 11, 0, 1, 5, 100);  // MPI_COMM_SELF
    archive.leave(0, 12, send);
    archive.enter(1, 10, bcast);
    OTF2_EvtWriter_MpiCollectiveBegin(archive.events(1), nullptr, 10);
    OTF2_EvtWriter_MpiCollectiveEnd(archive.events(1), nullptr, 11, OTF2_COLLECTIVE_OP_BCAST, reversed, 0, 0,
                                    8);
    archive.leave(1, 12, bcast);
  }
  const Trace trace = read_archive(directory);
  EXPECT_EQ(of_rank(trace, 0).sends()[0].peer, Rank{2});
  EXPECT_EQ(of_rank(trace, 0).sends()[1].peer, Rank{0});
  const CollectivePart& part = of_rank(trace, 1).collectives()[0];
  EXPECT_EQ(part.root, Rank{2});
  EXPECT_EQ(part.kind, CollectiveKind::Bcast);
  EXPECT_EQ(trace.communicator(part.comm).name, "Comm 2");
  EXPECT_EQ(trace.communicator(part.comm).members, (std::vector{Rank{2}, Rank{1}, Rank{0}}));
  EXPECT_TRUE(trace.communicators()[1].self);
}

TEST_F(ArchiveTest, InterCommunicatorsNameTheOtherSide) {
  {
    ArchiveWriter archive(directory, 3);
    const std::uint64_t left[] = {0}, right[] = {1, 2};
    archive.define([&](OTF2_GlobalDefWriter* writer) {
      OTF2_GlobalDefWriter_WriteGroup(writer, 20, archive.string(""), OTF2_GROUP_TYPE_COMM_GROUP,
                                      OTF2_PARADIGM_MPI, OTF2_GROUP_FLAG_NONE, 1, left);
      OTF2_GlobalDefWriter_WriteGroup(writer, 21, archive.string(""), OTF2_GROUP_TYPE_COMM_GROUP,
                                      OTF2_PARADIGM_MPI, OTF2_GROUP_FLAG_NONE, 2, right);
      OTF2_GlobalDefWriter_WriteInterComm(writer, 9, archive.string("bridge"), 20, 21, 0,
                                          OTF2_COMM_FLAG_NONE);
    });
    const OTF2_RegionRef send = archive.mpi("MPI_Send");
    archive.enter(0, 10, send);
    OTF2_EvtWriter_MpiSend(archive.events(0), nullptr, 11, 1, 9, 5, 100);
    archive.leave(0, 12, send);
    archive.enter(2, 10, send);
    OTF2_EvtWriter_MpiSend(archive.events(2), nullptr, 11, 0, 9, 5, 100);
    archive.leave(2, 12, send);
    archive.close();
  }
  const Trace trace = read_archive(directory);
  EXPECT_EQ(of_rank(trace, 0).sends()[0].peer, Rank{2});
  EXPECT_EQ(of_rank(trace, 2).sends()[0].peer, Rank{0});
}

TEST_F(ArchiveTest, OurRecordersCallPathsAndSamples) {
  {
    ArchiveWriter archive(directory, 1);
    archive.property(schema::kProgram, "solver");
    archive.property(schema::kMpi, "MPICH 4.0.2");
    archive.property(schema::kDroppedEvents, "3");
    archive.property(schema::kLostCallPaths, "4");
    archive.property(schema::kLostRegions, "5");
    archive.property(schema::kRegionsWithoutMpi, "6");
    const OTF2_RegionRef main = archive.region("main", OTF2_PARADIGM_SAMPLING);
    const OTF2_RegionRef solve = archive.region("_ZN3eos5solveEi", OTF2_PARADIGM_SAMPLING);
    const OTF2_RegionRef mark = archive.region("step", OTF2_PARADIGM_USER);
    archive.define([&](OTF2_GlobalDefWriter* writer) {
      OTF2_GlobalDefWriter_WriteAttribute(writer, 0, archive.string(schema::kCallPathAttribute),
                                          archive.string(""), OTF2_TYPE_CALLING_CONTEXT);
      OTF2_GlobalDefWriter_WriteParameter(writer, 0, archive.string(schema::kSampleParameter),
                                          OTF2_PARAMETER_TYPE_UINT64);
      OTF2_GlobalDefWriter_WriteSourceCodeLocation(writer, 0, archive.string("solver.cpp"), 33);
      OTF2_GlobalDefWriter_WriteCallingContext(writer, 0, main, OTF2_UNDEFINED_SOURCE_CODE_LOCATION,
                                               OTF2_UNDEFINED_CALLING_CONTEXT);
      OTF2_GlobalDefWriter_WriteCallingContext(writer, 1, solve, 0, 0);
      const OTF2_AttributeValue module{.stringRef = archive.string("/nowhere/solver")};
      const OTF2_AttributeValue offset{.stringRef = archive.string("0x11f3")};
      OTF2_GlobalDefWriter_WriteCallingContextProperty(writer, 1, archive.string(schema::kModule),
                                                       OTF2_TYPE_STRING, module);
      OTF2_GlobalDefWriter_WriteCallingContextProperty(writer, 1, archive.string(schema::kInstructionOffset),
                                                       OTF2_TYPE_STRING, offset);
    });
    OTF2_AttributeList* attributes = OTF2_AttributeList_New();
    const auto path = [&](OTF2_CallingContextRef context) {
      OTF2_AttributeList_AddCallingContextRef(attributes, 0, context);
      return attributes;
    };
    archive.enter(0, 5, mark);
    OTF2_EvtWriter_ParameterUnsignedInt(archive.events(0), path(1), 10, 0, 4);
    OTF2_EvtWriter_ParameterUnsignedInt(archive.events(0), path(0), 12, 0, 1);
    archive.enter(0, 20, archive.mpi("MPI_Barrier"), path(1));
    archive.leave(0, 30, archive.mpi("MPI_Barrier"));
    archive.leave(0, 35, mark);
    OTF2_AttributeList_Delete(attributes);
    archive.close();
  }
  const Trace trace = read_archive(directory);
  const Timeline& timeline = of_rank(trace, 0);
  ASSERT_EQ(timeline.size(), 1u);
  EXPECT_EQ(trace.call_path_name(timeline.call_path(0)), "main/eos::solve/MPI_Barrier");
  EXPECT_EQ(trace.call_paths()[index(trace.call_paths()[index(timeline.call_path(0))].parent)].line, 33u);
  ASSERT_THAT(timeline.samples(0), SizeIs(2));
  EXPECT_EQ(trace.call_path_name(timeline.samples(0)[0].call_path), "main/eos::solve");
  EXPECT_EQ(timeline.samples(0)[0].weight, 4u);
  ASSERT_THAT(timeline.pieces(0), SizeIs(1));
  EXPECT_EQ(timeline.pieces(0)[0].call_path, kNoCallPath) << "samples divide the mark";
  EXPECT_EQ(trace.facts().program, "solver");
  EXPECT_EQ(trace.facts().mpi, "MPICH 4.0.2");
  EXPECT_EQ(trace.anomalies().count("dropped_events"), 3u);
  EXPECT_EQ(trace.anomalies().count("lost_call_paths"), 4u);
  EXPECT_EQ(trace.anomalies().count("lost_regions"), 5u);
  EXPECT_EQ(trace.anomalies().count("regions_without_mpi"), 6u);
  EXPECT_THAT(anomaly(trace, "modules_not_found"), HasSubstr("/nowhere/solver (gone)"));
}

TEST_F(ArchiveTest, FramesOfCodeWithoutAFileAreOne) {
  {
    ArchiveWriter archive(directory, 1);
    const OTF2_RegionRef main = archive.region("main", OTF2_PARADIGM_SAMPLING);
    const OTF2_RegionRef nameless = archive.region(schema::kNamelessCode, OTF2_PARADIGM_SAMPLING);
    archive.define([&](OTF2_GlobalDefWriter* writer) {
      OTF2_GlobalDefWriter_WriteAttribute(writer, 0, archive.string(schema::kCallPathAttribute),
                                          archive.string(""), OTF2_TYPE_CALLING_CONTEXT);
      const OTF2_RegionRef regions[] = {main, main, nameless, nameless, nameless};  // main calls itself
      for (OTF2_CallingContextRef context = 0; context < 5; ++context)
        OTF2_GlobalDefWriter_WriteCallingContext(writer, context, regions[context],
                                                 OTF2_UNDEFINED_SOURCE_CODE_LOCATION,
                                                 context == 0 ? OTF2_UNDEFINED_CALLING_CONTEXT : context - 1);
    });
    OTF2_AttributeList* attributes = OTF2_AttributeList_New();
    OTF2_AttributeList_AddCallingContextRef(attributes, 0, 4);
    archive.enter(0, 20, archive.mpi("MPI_Barrier"), attributes);
    archive.leave(0, 30, archive.mpi("MPI_Barrier"));
    OTF2_AttributeList_Delete(attributes);
    archive.close();
  }
  const Trace trace = read_archive(directory);
  EXPECT_EQ(trace.call_path_name(of_rank(trace, 0).call_path(0)),
            "main/main/(unloaded or generated code)/MPI_Barrier");
}

TEST_F(ArchiveTest, RecordersAdmitThatCommunicationIsMissing) {
  {
    ArchiveWriter archive(directory, 1);
    archive.property(schema::kCommunicationComplete, "false");
    barrier(archive, 0, 10, 20);
  }
  const Trace trace = read_archive(directory);
  EXPECT_FALSE(trace.facts().communication_complete);
  EXPECT_EQ(trace.anomalies().count("communication_incomplete"), 1u);
}

TEST_F(ArchiveTest, MeasurementPausesAndFlushesAreTheToolsTime) {
  {
    ArchiveWriter archive(directory, 1);
    archive.enter(0, 0, archive.function("main"));
    OTF2_EvtWriter_BufferFlush(archive.events(0), nullptr, 10, 15);
    OTF2_EvtWriter_MeasurementOnOff(archive.events(0), nullptr, 20, OTF2_MEASUREMENT_OFF);
    OTF2_EvtWriter_MeasurementOnOff(archive.events(0), nullptr, 50, OTF2_MEASUREMENT_ON);
    archive.leave(0, 60, archive.function("main"));
  }
  const Trace trace = read_archive(directory);
  const auto pieces = of_rank(trace, 0).pieces(0);
  ASSERT_THAT(pieces, SizeIs(3));
  EXPECT_EQ(pieces[0].time, Duration(25));
  EXPECT_EQ(trace.call_path_name(pieces[1].call_path), "main/TRACE BUFFER FLUSH");
  EXPECT_EQ(pieces[1].time, Duration(5));
  EXPECT_EQ(trace.region(pieces[2].call_path).kind, CallKind::Artificial);
  EXPECT_EQ(pieces[2].time, Duration(0));
  EXPECT_EQ(trace.facts().run_time, Duration(60));
  EXPECT_EQ(trace.end() - trace.begin(), Duration(30));  // without the pause
  EXPECT_EQ(trace.anomalies().count("measurement_off"), 1u);
  EXPECT_FALSE(trace.facts().communication_complete);
}

TEST_F(ArchiveTest, TheProgramsOwnRegionIsComputation) {
  {
    ArchiveWriter archive(directory, 1);
    const OTF2_RegionRef program =
        archive.region("a.out", OTF2_PARADIGM_MEASUREMENT_SYSTEM, OTF2_REGION_ROLE_ARTIFICIAL);
    const OTF2_RegionRef parallel =
        archive.region("PARALLEL", OTF2_PARADIGM_MPI, OTF2_REGION_ROLE_ARTIFICIAL);
    OTF2_EvtWriter_ProgramBegin(archive.events(0), nullptr, 0, archive.string("/home/me/a.out"), 0, nullptr);
    archive.enter(0, 1, program);
    archive.enter(0, 2, parallel);
    barrier(archive, 0, 10, 20);
    archive.leave(0, 30, parallel);
    archive.leave(0, 31, program);
    OTF2_EvtWriter_ProgramEnd(archive.events(0), nullptr, 40, 0);
  }
  const Trace trace = read_archive(directory);
  ASSERT_EQ(of_rank(trace, 0).size(), 1u);
  EXPECT_EQ(trace.call_path_name(of_rank(trace, 0).call_path(0)), "a.out/PARALLEL/MPI_Barrier");
  EXPECT_EQ(trace.facts().program, "a.out");
  EXPECT_EQ(of_rank(trace, 0).end(), at(40));
}

TEST_F(ArchiveTest, ClocksAreCorrectedByTheirOffsets) {
  {
    ArchiveWriter archive(directory, 2, {.clock_offset = 1000});
    barrier(archive, 0, 1000, 3000);
    barrier(archive, 1, 500, 2500);
    OTF2_DefWriter_WriteClockOffset(archive.local_definitions(1), 500, 500, 0);
    OTF2_DefWriter_WriteClockOffset(archive.local_definitions(1), 2500, 700, 0);
  }
  const Trace trace = read_archive(directory);
  EXPECT_EQ(of_rank(trace, 0).enter(0), at(0));
  EXPECT_EQ(of_rank(trace, 1).enter(0), at(0));
  EXPECT_EQ(of_rank(trace, 1).leave(0), at(2500 + 700 - 1000));
}

TEST_F(ArchiveTest, TicksBecomeNanoseconds) {
  constexpr std::uint64_t kHour = 3'600ull * 2'500'000'000ull;
  {
    ArchiveWriter archive(directory, 1, {.resolution = 2'500'000'000, .clock_offset = 7});
    barrier(archive, 0, 7 + 5, 7 + kHour);
  }
  const Trace trace = read_archive(directory);
  EXPECT_EQ(of_rank(trace, 0).enter(0), at(2));
  EXPECT_EQ(of_rank(trace, 0).leave(0), at(3'600'000'000'000));
  EXPECT_EQ(trace.facts().clock_resolution, 2'500'000'000u);
}

TEST_F(ArchiveTest, ClocksThatCannotBeAreDoubted) {
  struct Doubt {
    std::uint64_t resolution;
    const char* anomaly;
  };
  for (const Doubt& doubt :
       {Doubt{0, "clock_resolution_unknown"}, Doubt{~std::uint64_t{0}, "clock_resolution_implausible"}}) {
    const std::filesystem::path place = directory / doubt.anomaly;
    {
      ArchiveWriter archive(place, 1, {.resolution = doubt.resolution});
      barrier(archive, 0, 5, 7);
    }
    const Trace trace = read_archive(place);
    EXPECT_EQ(trace.anomalies().count(doubt.anomaly), 1u);
    EXPECT_EQ(trace.anomalies().all().size(), 1u);
  }
}

TEST_F(ArchiveTest, LongTracesHaveManyChunks) {
  constexpr std::uint64_t kCalls = 60'000;
  {
    ArchiveWriter archive(directory, 1);
    for (std::uint64_t i = 0; i < kCalls; ++i) barrier(archive, 0, 10 * i, 10 * i + 5);
  }
  std::vector<double> progress;
  const Trace trace = read_archive(directory, {.resolve_symbols = true, .progress = [&](double fraction) {
                                                 progress.push_back(fraction);
                                               }});
  EXPECT_EQ(of_rank(trace, 0).size(), kCalls);
  EXPECT_THAT(of_rank(trace, 0).collectives(), SizeIs(kCalls));
  EXPECT_THAT(trace.anomalies().all(), IsEmpty());
  ASSERT_FALSE(progress.empty());
  EXPECT_EQ(progress.back(), 1.0);
}

TEST_F(ArchiveTest, WithoutLocalDefinitionsIdsAndClocksAreTakenAsTheyAre) {
  {
    ArchiveWriter archive(directory, 1, {.local_definitions = false});
    barrier(archive, 0, 10, 20);
  }
  const Trace trace = read_archive(directory);
  EXPECT_EQ(of_rank(trace, 0).size(), 1u);
  EXPECT_THAT(anomaly(trace, "missing_local_definitions"), HasSubstr("clocks are taken as synchronised"));
}

TEST_F(ArchiveTest, TheAnchorFileOrItsDirectory) {
  {
    ArchiveWriter archive(directory, 1);
    barrier(archive, 0, 10, 20);
  }
  EXPECT_EQ(read_archive(directory / "traces.otf2").facts().events, 4u);
  fs::copy(directory / "traces.otf2", directory / "another.otf2");
  EXPECT_EQ(read_archive(directory).facts().events, 4u) << "traces.otf2 is preferred";
}

}  // namespace
}  // namespace waitdiag

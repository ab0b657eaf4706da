// What the OTF2 reader makes of other recorders' archives: Score-P's habits, unknown records, accelerators.
//
// SPDX-License-Identifier: BSD-3-Clause
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/unit/formats/read/archive_fixture.hpp"

namespace waitdiag {
namespace {

using fixtures::ArchiveWriter;
using ::testing::HasSubstr;
using ::testing::SizeIs;

class ForeignArchiveTest : public ArchiveTest {};

TEST_F(ForeignArchiveTest, CallingContextEventsAreReadOnce) {
  {
    ArchiveWriter archive(directory, 1);
    const OTF2_RegionRef main = archive.function("main"), barrier_region = archive.mpi("MPI_Barrier");
    archive.define([&](OTF2_GlobalDefWriter* writer) {
      OTF2_GlobalDefWriter_WriteCallingContext(writer, 0, main, OTF2_UNDEFINED_SOURCE_CODE_LOCATION,
                                               OTF2_UNDEFINED_CALLING_CONTEXT);
      OTF2_GlobalDefWriter_WriteCallingContext(writer, 1, barrier_region, OTF2_UNDEFINED_SOURCE_CODE_LOCATION,
                                               0);
      OTF2_GlobalDefWriter_WriteInterruptGenerator(
          writer, 0, archive.string("timer"), OTF2_INTERRUPT_GENERATOR_MODE_TIME, OTF2_BASE_DECIMAL, -9, 1);
    });
    OTF2_EvtWriter* events = archive.events(0);
    OTF2_EvtWriter_CallingContextSample(events, nullptr, 5, 0, 1, 0);
    OTF2_EvtWriter_CallingContextEnter(events, nullptr, 10, 1, 2);
    OTF2_EvtWriter_CallingContextLeave(events, nullptr, 20, 1);
    archive.close();
  }
  const Trace trace = read_archive(directory);
  const Timeline& timeline = of_rank(trace, 0);
  ASSERT_EQ(timeline.size(), 1u);
  EXPECT_EQ(trace.call_path_name(timeline.call_path(0)), "main/MPI_Barrier");
  ASSERT_THAT(timeline.samples(0), SizeIs(1));
  EXPECT_EQ(trace.call_path_name(timeline.samples(0)[0].call_path), "main");
}

TEST_F(ForeignArchiveTest, ForeignRecordsAndLocationsAreSkippedAndCounted) {
  {
    ArchiveWriter archive(directory, 1);
    barrier(archive, 0, 10, 20);
    OTF2_MetricValue value{.unsigned_int = 7};
    const OTF2_Type type = OTF2_TYPE_UINT64;
    OTF2_EvtWriter_Metric(archive.events(0), nullptr, 21, 0, 1, &type, &value);
    OTF2_EvtWriter_RmaWaitChange(archive.events(0), nullptr, 22, 0);
    OTF2_EvtWriter_ParameterUnsignedInt(archive.events(0), nullptr, 23, 3, 1);
    archive.define([&](OTF2_GlobalDefWriter* writer) {
      OTF2_GlobalDefWriter_WriteLocation(writer, 99, archive.string("GPU"),
                                         OTF2_LOCATION_TYPE_ACCELERATOR_STREAM, 5, 0);
    });
    archive.close();
  }
  const Trace trace = read_archive(directory);
  EXPECT_EQ(of_rank(trace, 0).size(), 1u);
  EXPECT_EQ(trace.anomalies().count("skipped_locations"), 1u);
  EXPECT_THAT(anomaly(trace, "skipped_records"), HasSubstr("1 metric, 1 one-sided (RMA), 1 parameter"));
}

// Score-P 9.0 gives an accelerator a location group below its rank, and windows over communicators of its own
// paradigm; copies are one-sided operations of the thread and of the stream.
TEST_F(ForeignArchiveTest, AcceleratorsAreSkippedWithTheirCopies) {
  constexpr OTF2_LocationRef kStream = std::uint64_t{1} << 32;
  {
    ArchiveWriter archive(directory, 2);
    const OTF2_RegionRef copy = archive.region("cudaMemcpy", OTF2_PARADIGM_CUDA);
    archive.enter(0, 1, copy);
    OTF2_EvtWriter_RmaPut(archive.events(0), nullptr, 2, 0, 1, 64, 1);
    archive.leave(0, 3, copy);
    for (const std::uint32_t rank : {0u, 1u}) barrier(archive, rank, 10, 20);
    OTF2_EvtWriter* const stream = archive.further_events(kStream);
    OTF2_EvtWriter_Enter(stream, nullptr, 5, copy);
    OTF2_EvtWriter_Leave(stream, nullptr, 30, copy);
    archive.define([&](OTF2_GlobalDefWriter* writer) {
      const OTF2_StringRef name = archive.string("CUDA[0:7]");
      OTF2_GlobalDefWriter_WriteLocationGroup(writer, 9, name, OTF2_LOCATION_GROUP_TYPE_ACCELERATOR, 0, 0);
      OTF2_GlobalDefWriter_WriteLocation(writer, kStream, name, OTF2_LOCATION_TYPE_ACCELERATOR_STREAM, 2, 9);
      const std::uint64_t locations[] = {0, kStream}, members[] = {0, 1};
      OTF2_GlobalDefWriter_WriteGroup(writer, 20, name, OTF2_GROUP_TYPE_COMM_LOCATIONS, OTF2_PARADIGM_CUDA,
                                      OTF2_GROUP_FLAG_NONE, 2, locations);
      OTF2_GlobalDefWriter_WriteGroup(writer, 21, name, OTF2_GROUP_TYPE_COMM_GROUP, OTF2_PARADIGM_CUDA,
                                      OTF2_GROUP_FLAG_NONE, 2, members);
      OTF2_GlobalDefWriter_WriteComm(writer, 5, name, 21, OTF2_UNDEFINED_COMM, OTF2_COMM_FLAG_NONE);
      OTF2_GlobalDefWriter_WriteRmaWin(writer, 0, name, 5, OTF2_RMA_WIN_FLAG_NONE);
    });
    archive.close();
  }
  const Trace trace = read_archive(directory);
  EXPECT_EQ(trace.ranks(), 2u);
  EXPECT_EQ(of_rank(trace, 0).size(), 1u);
  EXPECT_EQ(trace.end(), at(20));
  EXPECT_THAT(anomaly(trace, "skipped_locations"), HasSubstr("were skipped, with 2 events"));
  EXPECT_THAT(anomaly(trace, "skipped_records"), HasSubstr("1 one-sided outside of MPI"));
  EXPECT_THAT(trace.anomalies().all(), SizeIs(2));
}

// Score-P with OpenMP: barriers by their role, on every thread; other constructs and records of teams are not
// operations.
TEST_F(ForeignArchiveTest, BarriersOfThreadsAreKnownByTheirRole) {
  constexpr OTF2_LocationRef kWorker = std::uint64_t{1} << 32;
  {
    ArchiveWriter archive(directory, 1);
    const OTF2_RegionRef parallel =
        archive.region("!$omp parallel @a.c:3", OTF2_PARADIGM_OPENMP, OTF2_REGION_ROLE_PARALLEL);
    const OTF2_RegionRef explicit_one =
        archive.region("!$omp barrier @a.c:5", OTF2_PARADIGM_OPENMP, OTF2_REGION_ROLE_BARRIER);
    const OTF2_RegionRef implied = archive.region("!$omp implicit barrier @a.c:9", OTF2_PARADIGM_OPENMP,
                                                  OTF2_REGION_ROLE_IMPLICIT_BARRIER);
    const OTF2_RegionRef of_a_user = archive.region("barrier", OTF2_PARADIGM_USER, OTF2_REGION_ROLE_BARRIER);
    barrier(archive, 0, 0, 5);
    OTF2_EvtWriter_ThreadFork(archive.events(0), nullptr, 6, OTF2_PARADIGM_OPENMP, 2);
    for (OTF2_EvtWriter* const thread : {archive.events(0), archive.further_events(kWorker)}) {
      OTF2_EvtWriter_ThreadTeamBegin(thread, nullptr, 7, 0);
      OTF2_EvtWriter_Enter(thread, nullptr, 8, parallel);
      std::uint64_t time = 10;
      for (const OTF2_RegionRef region : {explicit_one, implied, of_a_user}) {
        OTF2_EvtWriter_Enter(thread, nullptr, time, region);
        OTF2_EvtWriter_Leave(thread, nullptr, time + 2, region);
        time += 10;
      }
      OTF2_EvtWriter_Leave(thread, nullptr, 40, parallel);
      OTF2_EvtWriter_ThreadTeamEnd(thread, nullptr, 41, 0);
    }
    OTF2_EvtWriter_ThreadJoin(archive.events(0), nullptr, 42, OTF2_PARADIGM_OPENMP);
    archive.define([&](OTF2_GlobalDefWriter* writer) {
      OTF2_GlobalDefWriter_WriteLocation(writer, kWorker, archive.string("OMP thread 1"),
                                         OTF2_LOCATION_TYPE_CPU_THREAD, 10, 0);
    });
    archive.close();
  }
  const Trace trace = read_archive(directory);
  ASSERT_EQ(trace.timelines().size(), 2u);
  EXPECT_EQ(of_rank(trace, 0).size(), 3u);
  const Timeline& worker = trace.timelines()[1];
  ASSERT_EQ(worker.size(), 2u);
  for (const std::uint32_t op : {0u, 1u}) EXPECT_EQ(trace.kind({Location{1}, op}), CallKind::ThreadBarrier);
  EXPECT_EQ(worker.enter(1), at(20));
  EXPECT_EQ(trace.anomalies().count("skipped_records"), 0u);
}

// Score-P 3.0 with unwinding: regions are calling contexts, messages lie between their events; the program
// was ended without leaving main, and its communicator has no name.
TEST_F(ForeignArchiveTest, CallingContextsWithMessagesThatAreNeverLeft) {
  {
    ArchiveWriter archive(directory, 2);
    const OTF2_RegionRef code[] = {archive.function("main"), archive.function("solve"),
                                   archive.mpi("MPI_Send"), archive.mpi("MPI_Recv")};
    const OTF2_CommRef comm = archive.comm("", {1, 0});
    archive.define([&](OTF2_GlobalDefWriter* writer) {
      for (std::uint32_t i = 0; i < 4; ++i)
        OTF2_GlobalDefWriter_WriteCallingContext(
            writer, i, code[i], OTF2_UNDEFINED_SOURCE_CODE_LOCATION,
            i == 0 ? OTF2_UNDEFINED_CALLING_CONTEXT : std::min(i - 1, 1u));
    });
    for (const std::uint32_t rank : {0u, 1u}) {
      OTF2_EvtWriter* const events = archive.events(rank);
      OTF2_EvtWriter_CallingContextEnter(events, nullptr, 0, 0, 1);
      OTF2_EvtWriter_CallingContextEnter(events, nullptr, 5, 1, 1);
      OTF2_EvtWriter_CallingContextEnter(events, nullptr, 10, 2 + rank, 1);
      if (rank == 0) OTF2_EvtWriter_MpiSend(events, nullptr, 11, 0, comm, 3, 64);
      if (rank == 1) OTF2_EvtWriter_MpiRecv(events, nullptr, 19, 1, comm, 3, 64);
      OTF2_EvtWriter_CallingContextLeave(events, nullptr, 20, 2 + rank);
      OTF2_EvtWriter_CallingContextLeave(events, nullptr, 30, 1);
    }
    archive.close();
  }
  const Trace trace = read_archive(directory);
  const Timeline &sender = of_rank(trace, 0), &receiver = of_rank(trace, 1);
  ASSERT_THAT(sender.sends(), SizeIs(1));
  ASSERT_THAT(receiver.receives(), SizeIs(1));
  EXPECT_EQ(sender.sends()[0].peer, Rank{1});
  EXPECT_EQ(receiver.receives()[0].peer, Rank{0});
  EXPECT_EQ(trace.communicator(sender.sends()[0].comm).name, "Comm 2");
  EXPECT_EQ(trace.call_path_name(sender.call_path(0)), "main/solve/MPI_Send");
  EXPECT_EQ(sender.end(), at(30));
  EXPECT_EQ(sender.pieces(1)[0].time, Duration(10));
  EXPECT_EQ(trace.call_path_name(sender.pieces(1)[0].call_path), "main/solve");
  EXPECT_EQ(trace.anomalies().count("unclosed_regions"), 2u);
  EXPECT_THAT(trace.anomalies().all(), SizeIs(1));
}

// Score-P numbers the threads of rank r r, r + 2^32, r + 2 * 2^32 ...
TEST_F(ForeignArchiveTest, LocationsBeyond32Bits) {
  constexpr OTF2_LocationRef kThread = std::uint64_t{1} << 32 | 1;
  {
    ArchiveWriter archive(directory, 2, {.local_definitions = false});
    for (const std::uint32_t rank : {0u, 1u}) barrier(archive, rank, 10, 20);
    OTF2_EvtWriter* const events = archive.further_events(kThread);
    OTF2_EvtWriter_Enter(events, nullptr, 5, archive.mpi("MPI_Probe"));
    OTF2_EvtWriter_Leave(events, nullptr, 7, archive.mpi("MPI_Probe"));
    archive.define([&](OTF2_GlobalDefWriter* writer) {
      OTF2_GlobalDefWriter_WriteLocation(writer, kThread, archive.string("worker"),
                                         OTF2_LOCATION_TYPE_CPU_THREAD, 2, 1);
    });
    archive.close();
  }
  const Trace trace = read_archive(directory);
  ASSERT_THAT(trace.locations(), SizeIs(3));
  EXPECT_EQ(trace.locations()[2].trace_id, kThread);
  EXPECT_EQ(trace.locations()[2].rank, Rank{1});
  EXPECT_EQ(trace.locations()[2].thread, 1u);
  EXPECT_EQ(trace.timelines()[2].enter(0), at(5));
}

}  // namespace
}  // namespace waitdiag

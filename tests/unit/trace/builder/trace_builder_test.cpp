// TraceBuilder: operations, gaps and what becomes an anomaly.
//
// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/trace/builder/trace_builder.hpp"

#include "analyzer/trace/builder/oddities.hpp"
#include "analyzer/trace/model/trace_error.hpp"
#include "tests/unit/trace/builder/trace_builder_fixture.hpp"

namespace waitdiag {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

TEST_F(TraceBuilderTest, KeepsExactPiecesOfEachGapByCallPath) {
  const RegionId main = region("main"), solve = region("solve"), barrier = mpi("MPI_Barrier");
  builder.enter(here, at(0), main);
  call(10, 30, solve);
  call(35, 50, solve);
  call(60, 70, barrier);
  builder.leave(here, at(75), main);
  const Trace trace = build();
  ASSERT_EQ(timeline(trace).size(), 1u);
  EXPECT_EQ(pieces(trace, 0), (Pieces{{"main", 10 + 5 + 10}, {"main/solve", 20 + 15}}));
  EXPECT_EQ(pieces(trace, 1), (Pieces{{"main", 5}}));
  EXPECT_EQ(trace.call_path_name(timeline(trace).call_path(0)), "main/MPI_Barrier");
  EXPECT_EQ(timeline(trace).enter(0), at(60));
  EXPECT_EQ(timeline(trace).leave(0), at(70));
}

TEST_F(TraceBuilderTest, TimeOutsideRegionsIsNotInstrumented) {
  const RegionId barrier = mpi("MPI_Barrier");
  call(0, 5, barrier);
  call(25, 30, barrier);
  const Trace trace = build();
  EXPECT_THAT(pieces(trace, 0), IsEmpty());
  EXPECT_EQ(pieces(trace, 1), (Pieces{{"-", 20}}));
}

TEST_F(TraceBuilderTest, FoldsMpiRegionsIntoTheOutermostOne) {
  const RegionId reduce = mpi("MPI_Allreduce"), send = mpi("MPI_Send");
  builder.enter(here, at(0), reduce);
  builder.enter(here, at(2), send);
  builder.send(here, at(3), Rank{1}, world, 7, 8);
  builder.leave(here, at(4), send);
  builder.leave(here, at(9), reduce);
  const Trace trace = build();
  ASSERT_EQ(timeline(trace).size(), 1u);
  EXPECT_EQ(timeline(trace).leave(0), at(9));
  EXPECT_EQ(trace.call_path_name(timeline(trace).call_path(0)), "MPI_Allreduce");
  ASSERT_THAT(timeline(trace).sends(), SizeIs(1));
  EXPECT_EQ(timeline(trace).sends()[0].posted, 0u);
  EXPECT_EQ(timeline(trace).sends()[0].time, at(3));
}

// A barrier of threads is left while a task or an MPI call runs in it, and entered again after that.
TEST_F(TraceBuilderTest, WhatRunsInABarrierOfThreadsIsNotFolded) {
  const RegionId barrier = builder.region({.name = "omp barrier", .kind = CallKind::ThreadBarrier});
  const RegionId task = region("task"), send = mpi("MPI_Send");
  builder.enter(here, at(10), barrier);
  builder.enter(here, at(20), task);
  call(30, 35, send);
  builder.leave(here, at(40), task);
  builder.leave(here, at(50), barrier);
  call(60, 70, task);
  const Trace trace = build();
  ASSERT_EQ(timeline(trace).size(), 3u);
  EXPECT_EQ(timeline(trace).leave(0), at(20));
  EXPECT_EQ(trace.call_path_name(timeline(trace).call_path(1)), "omp barrier/task/MPI_Send");
  EXPECT_EQ(timeline(trace).enter(2), at(40));
  EXPECT_EQ(timeline(trace).leave(2), at(50));
  EXPECT_EQ(timeline(trace).call_path(0), timeline(trace).call_path(2));
  EXPECT_EQ(pieces(trace, 1), (Pieces{{"omp barrier/task", 10}}));
  EXPECT_EQ(pieces(trace, 2), (Pieces{{"omp barrier/task", 5}}));
  EXPECT_EQ(pieces(trace, 3), (Pieces{{"-", 10}, {"task", 10}}));
}

// The same, where the trace ends in the task.
TEST_F(TraceBuilderTest, ATaskInABarrierOfThreadsMayBeTheLast) {
  const RegionId barrier = builder.region({.name = "omp barrier", .kind = CallKind::ThreadBarrier});
  builder.enter(here, at(10), barrier);
  builder.enter(here, at(20), region("task"));
  builder.seen(here, at(30));
  const Trace trace = build();
  EXPECT_EQ(trace.anomalies().count("unclosed_regions"), 2u);
  EXPECT_EQ(timeline(trace).leave(0), at(20));
  EXPECT_EQ(timeline(trace).end(), at(30));
}

TEST_F(TraceBuilderTest, AnUnwoundCallerReplacesTheStackOfRegions) {
  const RegionId mark = region("step", true), solve = region("solve"), barrier = mpi("MPI_Barrier");
  const CallPathId caller = builder.call_path(builder.call_path(kNoCallPath, region("main")), solve, 33);
  builder.enter(here, at(0), mark);
  builder.enter(here, at(10), barrier, caller);
  builder.leave(here, at(20), barrier);
  builder.leave(here, at(30), mark);
  const Trace trace = build();
  EXPECT_EQ(trace.call_path_name(timeline(trace).call_path(0)), "main/solve/MPI_Barrier");
  EXPECT_EQ(pieces(trace, 0), (Pieces{{"step", 10}}));
}

TEST_F(TraceBuilderTest, ACallPathIsItsFunctionsAndTheLinesOfTheirCalls) {
  const RegionId main = region("main"), solve = region("solve"), barrier = region("MPI_Barrier");
  const CallPathId early = builder.call_path(kNoCallPath, main, 4);
  const CallPathId late = builder.call_path(kNoCallPath, main, 11);
  const CallPathId only = builder.call_path(late, solve, 40);
  EXPECT_NE(early, late);
  EXPECT_EQ(builder.call_path(kNoCallPath, main, 11), late);
  for (const CallPathId caller : {early, late, only}) {
    builder.enter(here, at(0), barrier, caller);
    builder.leave(here, at(1), barrier);
  }
  const Trace trace = build();
  const auto line_of_call = [&trace](CallPathId path) {
    return trace.call_paths()[index(trace.call_paths()[index(path)].parent)].line;
  };
  const CallPathId first = timeline(trace).call_path(0), second = timeline(trace).call_path(1);
  EXPECT_EQ(line_of_call(first), 4u);
  EXPECT_EQ(line_of_call(second), 11u);

  // Call paths are compared as one, without the line; if there is only one line, it is kept.
  const CallPathId both = trace.without_sites(first);
  EXPECT_EQ(trace.without_sites(second), both);
  EXPECT_EQ(trace.without_sites(both), both);
  EXPECT_EQ(trace.call_path_name(both), "main/MPI_Barrier");
  EXPECT_EQ(line_of_call(both), 0u);
  const CallPathId third = trace.without_sites(timeline(trace).call_path(2));
  EXPECT_EQ(trace.call_path_name(third), "main/solve/MPI_Barrier");
  EXPECT_EQ(line_of_call(third), 40u);
}

TEST_F(TraceBuilderTest, ASampleIsOfItsFunctionWhateverLineWasExecuted) {
  const CallPathId outer = builder.call_path(kNoCallPath, region("main"), 12);
  const RegionId solve = region("solve");
  builder.seen(here, at(0));
  builder.sample(here, at(5), builder.call_path(outer, solve, 40), 1);
  builder.sample(here, at(6), builder.call_path(outer, solve, 41), 1);
  builder.seen(here, at(10));
  const RegionId barrier = region("MPI_Barrier");
  builder.enter(here, at(10), barrier);
  builder.leave(here, at(11), barrier);
  const Trace trace = build();
  ASSERT_EQ(timeline(trace).samples(0).size(), 1u);
  EXPECT_EQ(timeline(trace).samples(0)[0].weight, 2u);
  EXPECT_EQ(trace.call_paths()[index(timeline(trace).samples(0)[0].call_path)].line, 0u);
}

TEST_F(TraceBuilderTest, SamplesOfAGapMergeByCallPath) {
  const CallPathId solve = builder.call_path(kNoCallPath, region("solve"));
  const CallPathId eos = builder.call_path(kNoCallPath, region("eos"));
  const RegionId barrier = mpi("MPI_Barrier");
  builder.seen(here, at(0));
  builder.sample(here, at(10), solve, 1);
  builder.sample(here, at(20), eos, 2);
  builder.sample(here, at(30), solve, 3);
  call(40, 50, barrier);
  builder.sample(here, at(60), solve, 1);
  const Trace trace = build();
  ASSERT_THAT(timeline(trace).samples(0), SizeIs(2));
  EXPECT_EQ(timeline(trace).samples(0)[0].call_path, solve);
  EXPECT_EQ(timeline(trace).samples(0)[0].weight, 4u);
  EXPECT_EQ(timeline(trace).samples(0)[1].weight, 2u);
  ASSERT_THAT(timeline(trace).samples(1), SizeIs(1));
  EXPECT_EQ(timeline(trace).samples(1)[0].weight, 1u);
  EXPECT_EQ(pieces(trace, 0), (Pieces{{"-", 40}}));
}

TEST_F(TraceBuilderTest, MarksAreDividedBySamplesButInstrumentedFunctionsStayExact) {
  const RegionId mark = region("step", true), solve = region("solve");
  const CallPathId sampled = builder.call_path(kNoCallPath, region("eos"));
  builder.enter(here, at(0), mark);
  builder.sample(here, at(5), sampled, 1);
  builder.enter(here, at(10), solve);
  builder.sample(here, at(20), sampled, 1);  // solve is exact: nothing to divide
  builder.leave(here, at(40), solve);
  builder.leave(here, at(45), mark);
  const Trace trace = build();
  EXPECT_EQ(pieces(trace, 0), (Pieces{{"-", 15}, {"step/solve", 30}}));
  ASSERT_THAT(timeline(trace).samples(0), SizeIs(1));
  EXPECT_EQ(timeline(trace).samples(0)[0].weight, 1u);
}

TEST_F(TraceBuilderTest, MarksStayExactWithoutSamples) {
  call(0, 40, region("step", true));
  EXPECT_EQ(pieces(build(), 0), (Pieces{{"step", 40}}));
}

TEST_F(TraceBuilderTest, SamplesInsideMpiAreSkippedAndCounted) {
  const RegionId barrier = mpi("MPI_Barrier");
  builder.enter(here, at(0), barrier);
  builder.sample(here, at(5), builder.call_path(kNoCallPath, barrier), 1);
  builder.leave(here, at(9), barrier);
  const Trace trace = build();
  EXPECT_THAT(timeline(trace).samples(0), IsEmpty());
  EXPECT_THAT(timeline(trace).samples(1), IsEmpty());
  EXPECT_EQ(trace.anomalies().count("samples_inside_mpi"), 1u);
}

TEST_F(TraceBuilderTest, TimeNeverGoesBackwards) {
  const RegionId barrier = mpi("MPI_Barrier");
  builder.enter(here, at(10), barrier);
  builder.leave(here, at(4), barrier);
  call(12, 13, barrier);
  const Trace trace = build();
  EXPECT_EQ(timeline(trace).leave(0), at(10));
  EXPECT_EQ(timeline(trace).enter(1), at(12));
  EXPECT_EQ(trace.anomalies().count("time_backwards"), 1u);
}

TEST_F(TraceBuilderTest, ImplausibleTimesAreClamped) {
  const RegionId barrier = mpi("MPI_Barrier");
  call(5, std::int64_t{1} << 62, barrier);
  const Trace trace = build();
  EXPECT_EQ(timeline(trace).leave(0), at(std::int64_t{1} << 55));
  EXPECT_EQ(trace.anomalies().count("implausible_times"), 1u);
}

TEST_F(TraceBuilderTest, RepairsTheNestingOfRegions) {
  const RegionId main = region("main"), solve = region("solve"), barrier = mpi("MPI_Barrier");
  builder.enter(here, at(0), main);
  builder.enter(here, at(5), solve);
  builder.leave(here, at(8), main);      // solve was never left
  builder.leave(here, at(9), barrier);   // never entered
  builder.enter(here, at(10), barrier);  // never left
  builder.seen(here, at(30));
  const Trace trace = build();
  EXPECT_EQ(trace.anomalies().count("missing_leave"), 1u);
  EXPECT_EQ(trace.anomalies().count("leave_without_enter"), 1u);
  EXPECT_EQ(trace.anomalies().count("unclosed_mpi_calls"), 1u);
  EXPECT_EQ(trace.anomalies().count("unclosed_regions"), 1u);
  EXPECT_EQ(timeline(trace).leave(0), at(30));
  EXPECT_EQ(pieces(trace, 0), (Pieces{{"main", 5}, {"main/solve", 3}, {"-", 2}}));
}

TEST_F(TraceBuilderTest, CommunicationOutsideMpiIsSkippedAndCounted) {
  builder.send(here, at(5), Rank{1}, world, 0, 8);
  builder.irecv_request(here, at(6), 1);
  builder.collective_begin(here, at(7));
  builder.collective_end(here, at(8), CollectiveKind::Barrier, world, kNoRank, 0, 0);
  const Trace trace = build();
  EXPECT_THAT(timeline(trace).sends(), IsEmpty());
  EXPECT_THAT(timeline(trace).receives(), IsEmpty());
  EXPECT_THAT(timeline(trace).collectives(), IsEmpty());
  EXPECT_EQ(trace.anomalies().count("records_outside_mpi"), 4u);
}

TEST_F(TraceBuilderTest, UnknownRanksAndCommunicatorsAreDropped) {
  const RegionId send = mpi("MPI_Send");
  builder.enter(here, at(0), send);
  builder.send(here, at(0), Rank{2}, world, 0, 8);
  builder.send(here, at(0), kNoRank, kNoComm, 0, 8);
  builder.send(here, at(0), Rank{1}, world, 0, 8);
  builder.collective_begin(here, at(0));
  builder.collective_end(here, at(0), CollectiveKind::Bcast, world, Rank{9}, 0, 0);
  builder.leave(here, at(1), send);
  const Trace trace = build();
  EXPECT_THAT(timeline(trace).sends(), SizeIs(1));
  EXPECT_THAT(timeline(trace).collectives(), IsEmpty());
  EXPECT_EQ(trace.anomalies().count("unknown_peers"), 3u);
}

TEST_F(TraceBuilderTest, TheToolsOwnTimeIsNoComputationOfTheProgram) {
  const RegionId main = region("main"), flush = region("TRACE BUFFER FLUSH");
  builder.enter(here, at(0), main);
  call(10, 30, flush);
  builder.measurement(here, at(40), false);
  builder.measurement(here, at(90), true);
  builder.leave(here, at(100), main);
  const Trace trace = build();
  EXPECT_EQ(pieces(trace, 0),
            (Pieces{{"main", 10 + 10 + 10}, {"main/TRACE BUFFER FLUSH", 20}, {"main/MEASUREMENT OFF", 0}}));
  const Timeline& columns = timeline(trace);
  EXPECT_EQ(trace.region(columns.pieces(0)[1].call_path).kind, CallKind::Artificial);
  EXPECT_EQ(trace.region(columns.pieces(0)[2].call_path).kind, CallKind::Artificial);
  EXPECT_EQ(trace.anomalies().count("measurement_off"), 1u);
  EXPECT_EQ(trace.anomalies().count("measurement_overhead"), 1u);
  EXPECT_FALSE(trace.facts().communication_complete);
}

TEST_F(TraceBuilderTest, TheToolsOwnTimeIsAWarningFromAHundredthOnly) {
  for (const int length : {9, 10}) {
    Anomalies anomalies;
    report_overhead("TRACE BUFFER FLUSH", Duration(length), Duration(1000), anomalies);
    ASSERT_THAT(anomalies.all(), SizeIs(1));
    EXPECT_EQ(anomalies.all().front().gravity, length < 10 ? Gravity::Info : Gravity::Warning);
  }
}

TEST_F(TraceBuilderTest, MakesTheWorldAndEmptyRanksWhereTheTraceHasNone) {
  TraceBuilder bare;
  const Location last = bare.location({.rank = Rank{2}});
  bare.seen(last, at(3));
  const Trace trace = bare.build();
  EXPECT_EQ(trace.ranks(), 3u);
  EXPECT_EQ(trace.communicator(trace.world()).members, (std::vector{Rank{0}, Rank{1}, Rank{2}}));
  EXPECT_EQ(trace.anomalies().count("ranks_without_records"), 2u);
  EXPECT_EQ(trace.timeline(trace.main_location(Rank{0})).gaps(), 1u);
  EXPECT_EQ(trace.begin(), at(3));
}

TEST_F(TraceBuilderTest, TheMainLocationIsTheFirstThread) {
  TraceBuilder threads;
  const Location worker = threads.location({.rank = Rank{0}, .thread = 1});
  const Location master = threads.location({.rank = Rank{0}, .thread = 0});
  const Trace trace = threads.build();
  EXPECT_EQ(trace.main_location(Rank{0}), master);
  EXPECT_EQ(trace.rank(worker), Rank{0});
}

TEST_F(TraceBuilderTest, CommunicatorsOfTheSameNameAreDistinguished) {
  const CommId first = builder.communicator({.name = "row", .members = {Rank{0}}});
  const CommId second = builder.communicator({.name = "row", .members = {Rank{1}}});
  const Trace trace = build();
  EXPECT_EQ(trace.communicator(first).name, "row");
  EXPECT_EQ(trace.communicator(second).name, "row (2)");
}

TEST_F(TraceBuilderTest, RefusesDefinitionsThatCannotBe) {
  builder.communicator({.name = "row", .members = {Rank{5}}});
  try {
    builder.build();
    FAIL() << "a communicator with a rank that does not exist was accepted";
  } catch (const TraceError& error) {
    EXPECT_THAT(error.what(),
                HasSubstr("communicator \"row\" has a member rank 5, but the trace has 2 ranks"));
  }
}

// Two gigabytes for ranks that were never recorded; found by the fuzzer.
TEST_F(TraceBuilderTest, RefusesARankFarBeyondThoseRecorded) {
  builder.location({.rank = Rank(777'766)});
  EXPECT_THROW(builder.build(), TraceError);
}

TEST_F(TraceBuilderTest, SkippedRecordsAreListedByName) {
  builder.skipped("metric", 3);
  builder.skipped("I/O");
  builder.skipped("metric");
  const Trace trace = build();
  ASSERT_THAT(trace.anomalies().all(), SizeIs(1));
  EXPECT_EQ(trace.anomalies().all()[0].count, 5u);
  EXPECT_THAT(trace.anomalies().all()[0].text, HasSubstr("1 I/O, 4 metric"));
}

TEST_F(TraceBuilderTest, PiecesSumToTheGapWhateverTheOrder) {
  const RegionId barrier = mpi("MPI_Barrier");
  std::vector<RegionId> functions;
  for (int i = 0; i < 20; ++i) functions.push_back(region(("f" + std::to_string(i)).c_str()));
  std::int64_t now = 0;
  for (int round = 0; round < 200; ++round) {
    for (int i = 0; i < 7; ++i) {
      builder.enter(here, at(now += i), functions[static_cast<std::size_t>((round * i) % 20)]);
    }
    for (int i = 6; i >= 0; --i) {
      builder.leave(here, at(now += 1), functions[static_cast<std::size_t>((round * i) % 20)]);
    }
    call(now + 3, now + 5, barrier);
    now += 5;
  }
  const Trace trace = build();
  const Timeline& columns = timeline(trace);
  for (std::size_t gap = 0; gap < columns.gaps(); ++gap) {
    Duration sum{};
    for (const ComputationPiece& piece : columns.pieces(gap)) sum += piece.time;
    EXPECT_EQ(sum, columns.gap_end(gap) - columns.gap_begin(gap)) << "gap " << gap;
  }
  EXPECT_THAT(trace.anomalies().all(), IsEmpty());
}

// A region inside another marked region, or called by MPI, is not a part of the run of its own.
TEST_F(TraceBuilderTest, OutermostMarksOfTheUserAreKept) {
  const RegionId main = region("main"), solve = region("solve", true), inner = region("inner", true);
  const RegionId barrier = mpi("MPI_Barrier");
  builder.regions_are_nested();
  builder.enter(here, at(0), main);
  builder.enter(here, at(10), solve);
  call(12, 15, inner);
  call(20, 30, barrier);
  builder.leave(here, at(40), solve);
  builder.enter(here, at(50), barrier);
  call(52, 55, inner);
  builder.leave(here, at(60), barrier);
  call(70, 80, inner);
  builder.enter(here, at(90), solve);
  builder.seen(here, at(100));
  EXPECT_THAT(timeline(build()).user_regions(),
              testing::ElementsAre(UserRegion{at(10), at(40), solve}, UserRegion{at(70), at(80), inner},
                                   UserRegion{at(90), at(100), solve}));
}

}  // namespace
}  // namespace waitdiag

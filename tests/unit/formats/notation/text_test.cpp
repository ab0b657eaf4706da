// The text notation: what each line and clause means.
//
// SPDX-License-Identifier: BSD-3-Clause
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

#include "analyzer/formats/notation/notation.hpp"

namespace waitdiag {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

const Timeline& of_rank(const Trace& trace, int rank) {
  return trace.timeline(trace.main_location(Rank{rank}));
}

TEST(Text, ReadsTheLateSenderOfTheManual) {
  const Trace trace = parse_text(R"(
rank 0
   0..40  solve
  40..50  MPI_Send  to 1 tag 3 bytes 64   # a comment
rank 1
   0..10  solve
  10..52  MPI_Recv  from 0 tag 3 bytes 64
)");
  ASSERT_EQ(trace.ranks(), 2u);
  const Timeline& sender = of_rank(trace, 0);
  ASSERT_EQ(sender.size(), 1u);
  EXPECT_EQ(sender.enter(0), at(40));
  EXPECT_EQ(sender.leave(0), at(50));
  EXPECT_EQ(trace.call_path_name(sender.call_path(0)), "MPI_Send");
  ASSERT_THAT(sender.sends(), SizeIs(1));
  EXPECT_EQ(sender.sends()[0].peer, Rank{1});
  EXPECT_EQ(sender.sends()[0].time, at(40));
  ASSERT_THAT(sender.pieces(0), SizeIs(1));
  EXPECT_EQ(trace.call_path_name(sender.pieces(0)[0].call_path), "solve");
  EXPECT_EQ(sender.pieces(0)[0].time, Duration(40));
  ASSERT_THAT(of_rank(trace, 1).receives(), SizeIs(1));
  EXPECT_EQ(of_rank(trace, 1).receives()[0].time, at(52));
  EXPECT_EQ(of_rank(trace, 1).receives()[0].bytes, 64u);
  EXPECT_EQ(trace.communicator(trace.world()).members, (std::vector{Rank{0}, Rank{1}}));
}

TEST(Text, CallPathsLinesAndUnits) {
  const Trace trace = parse_text(R"text(
unit us
region solve file solver.c line 33
rank 0
  0..4  main@12/solve
  4..6  "int main(int, char**)"/MPI_Barrier
  8..9  main/solve
)text");
  const Timeline& timeline = of_rank(trace, 0);
  EXPECT_EQ(timeline.enter(0), at(4000));
  EXPECT_EQ(trace.call_path_name(timeline.call_path(0)), "int main(int, char**)/MPI_Barrier");
  const ComputationPiece& piece = timeline.pieces(0)[0];
  EXPECT_EQ(trace.call_path_name(piece.call_path), "main/solve");
  EXPECT_EQ(trace.region(piece.call_path).file, "solver.c");
  EXPECT_EQ(trace.region(piece.call_path).line, 33u);
  EXPECT_EQ(trace.call_paths()[index(trace.call_paths()[index(piece.call_path)].parent)].line, 12u);
  ASSERT_THAT(timeline.pieces(1), SizeIs(2));
  EXPECT_EQ(timeline.pieces(1)[0].call_path, kNoCallPath);
  EXPECT_EQ(timeline.pieces(1)[0].time, Duration(2000));
  EXPECT_NE(timeline.pieces(1)[1].call_path, piece.call_path);
  EXPECT_EQ(trace.without_sites(timeline.pieces(1)[1].call_path), trace.without_sites(piece.call_path));
}

TEST(Text, NonblockingOperations) {
  const Trace trace = parse_text(R"(
rank 0
   0..1   MPI_Isend  to 1 tag 3 bytes 64 request 7
   1..2   MPI_Irecv  request 8
   2..3   MPI_Irecv  request 9
   9..20  MPI_Waitall  completes 7 8 from 1 tag 4 bytes 32 at 15
  20..21  MPI_Cancel
  21..22  MPI_Wait  cancels 9
rank 1
   0..1   MPI_Comm_rank
)");
  const Timeline& timeline = of_rank(trace, 0);
  ASSERT_THAT(timeline.sends(), SizeIs(1));
  EXPECT_EQ(timeline.sends()[0].posted, 0u);
  EXPECT_EQ(timeline.sends()[0].completed, 3u);
  ASSERT_THAT(timeline.receives(), SizeIs(2));
  EXPECT_EQ(timeline.receives()[0].posted, 1u);
  EXPECT_EQ(timeline.receives()[0].completed, 3u);
  EXPECT_EQ(timeline.receives()[0].time, at(15));
  EXPECT_EQ(timeline.receives()[0].tag, 4);
  EXPECT_TRUE(timeline.receives()[1].cancelled);
  EXPECT_EQ(timeline.receives()[1].completed, 5u);
  EXPECT_THAT(trace.anomalies().all(), IsEmpty());
}

TEST(Text, SendrecvHasBothEnds) {
  const Trace trace = parse_text("rank 0\n 0..9 MPI_Sendrecv to 0 tag 1 bytes 4 from 0 tag 1 bytes 4 at 8\n");
  EXPECT_THAT(of_rank(trace, 0).sends(), SizeIs(1));
  ASSERT_THAT(of_rank(trace, 0).receives(), SizeIs(1));
  EXPECT_EQ(of_rank(trace, 0).receives()[0].time, at(8));
}

TEST(Text, CollectivesKnowSendersAndReceivers) {
  const Trace trace = parse_text(R"(
comm row = 0 1
rank 0
   0..10  MPI_Bcast  root 0 bytes 8
  10..20  MPI_Reduce  root 1 bytes 8
  20..30  MPI_Allreduce  bytes 8 comm row at 21 until 29
  30..40  MPI_Gather  root 0 sent 0 received 24
rank 1
   0..10  MPI_Bcast  root 0 bytes 8
  10..20  MPI_Reduce  root 1 bytes 8
)");
  const auto sent_received = [&](int rank, std::size_t i) {
    const CollectivePart& part = of_rank(trace, rank).collectives()[i];
    return std::pair(part.sent, part.received);
  };
  EXPECT_EQ(sent_received(0, 0), std::pair(8ul, 8ul));
  EXPECT_EQ(sent_received(1, 0), std::pair(0ul, 8ul));
  EXPECT_EQ(sent_received(0, 1), std::pair(8ul, 0ul));
  EXPECT_EQ(sent_received(1, 1), std::pair(8ul, 8ul));
  EXPECT_EQ(sent_received(0, 2), std::pair(8ul, 8ul));
  EXPECT_EQ(sent_received(0, 3), std::pair(0ul, 24ul));
  const CollectivePart& allreduce = of_rank(trace, 0).collectives()[2];
  EXPECT_EQ(allreduce.begin, at(21));
  EXPECT_EQ(allreduce.end, at(29));
  EXPECT_EQ(trace.communicator(allreduce.comm).name, "row");
  EXPECT_EQ(allreduce.kind, CollectiveKind::Allreduce);
  EXPECT_EQ(of_rank(trace, 0).collectives()[0].root, Rank{0});
}

TEST(Text, CollectiveRecordsCanBeAbsentOrExtra) {
  const Trace trace = parse_text(R"(
rank 0
  0..1  MPI_Init
  1..2  MPI_Comm_dup  collective create_handle
  2..3  MPI_Barrier  alone
  3..4  MPI_Finalize  collective finalize
)");
  const auto& parts = of_rank(trace, 0).collectives();
  ASSERT_THAT(parts, SizeIs(2));
  EXPECT_EQ(parts[0].kind, CollectiveKind::CreateHandle);
  EXPECT_EQ(parts[0].op, 1u);
  EXPECT_EQ(parts[1].kind, CollectiveKind::Finalize);
}

TEST(Text, SamplesOfUninstrumentedStretches) {
  const Trace trace = parse_text(R"(
rank 0
   0..40  samples main/solve:3 main/eos@9:1 -:2
  40..50  MPI_Barrier
  50..60  -
)");
  const Timeline& timeline = of_rank(trace, 0);
  ASSERT_THAT(timeline.samples(0), SizeIs(3));
  EXPECT_EQ(trace.call_path_name(timeline.samples(0)[0].call_path), "main/solve");
  EXPECT_EQ(timeline.samples(0)[0].weight, 3u);
  EXPECT_EQ(timeline.samples(0)[2].call_path, kNoCallPath);
  ASSERT_THAT(timeline.pieces(0), SizeIs(1));
  EXPECT_EQ(timeline.pieces(0)[0].call_path, kNoCallPath);
  EXPECT_EQ(timeline.end(), at(60));
}

TEST(Text, ThreadsThatNeverCallMpiAreNoLocations) {
  const Trace trace = parse_text(R"(
rank 0 thread 1
   5..90  samples main/heavy:8 -:1
rank 0
   0..40  -
  40..50  MPI_Barrier
rank 0 thread 2
  60..70  -
rank 1
   0..50  MPI_Barrier
)");
  EXPECT_THAT(trace.locations(), SizeIs(3));
  EXPECT_EQ(trace.end(), at(70)) << "the time of threads that are no locations does not count";
  ASSERT_THAT(trace.workers(), SizeIs(1));
  const WorkerThread& worker = trace.workers()[0];
  EXPECT_EQ(worker.info.thread, 1u);
  ASSERT_THAT(worker.timeline.samples(0), SizeIs(2));
  EXPECT_EQ(trace.call_path_name(worker.timeline.samples(0)[0].call_path), "main/heavy");
  EXPECT_EQ(worker.timeline.samples(0)[0].weight, 8u);
  std::ostringstream text, again;
  write_text(trace, text);
  write_text(parse_text(text.str()), again);
  EXPECT_EQ(text.str(), again.str());
  EXPECT_THAT(text.str(), HasSubstr("rank 0 thread 1\n  5..90  samples main/heavy:8 -:1\n"));
}

// The main thread of its process has none of its call paths.
TEST(Text, AWorkerThatWaitsNamesWhere) {
  const Trace trace = parse_text(
      "region pthread_cond_wait library\nrank 0\n0..90 solve\n90..100 MPI_Barrier\n"
      "rank 0 thread 1\n0..50 work/pthread_cond_wait\n50..60 samples work:3\n");
  ASSERT_THAT(trace.workers(), SizeIs(1));
  std::ostringstream text;
  write_text(trace, text);
  EXPECT_THAT(text.str(), HasSubstr("rank 0 thread 1\n  0..50  work/pthread_cond_wait\n"));
}

TEST(Text, ThreadsAndCommunicators) {
  const Trace trace = parse_text(R"(
comm self self
comm pair = 0 | 1 parent MPI_COMM_WORLD
rank 0 name "Master thread" node host7
  0..1  MPI_Send to 1 comm pair
rank 0 thread 1 id 77
  0..5  work
rank 1
  0..1  MPI_Recv from 0 comm pair
)");
  EXPECT_THAT(trace.locations(), SizeIs(3));
  EXPECT_EQ(trace.locations()[0].node, "host7");
  EXPECT_EQ(trace.locations()[1].trace_id, 77u);
  EXPECT_EQ(trace.main_location(Rank{1}), Location{2});
  EXPECT_TRUE(trace.communicators()[0].self);
  const CommId pair = of_rank(trace, 0).sends()[0].comm;
  EXPECT_EQ(trace.communicator(pair).remote_members, std::vector{Rank{1}});
  EXPECT_EQ(trace.communicator(pair).parent, trace.world());
}

TEST(Text, FactsOfTheRun) {
  const Trace trace = parse_text(R"(
program solver
mpi "MPICH 4.0.2"
creator "waitprof 1.0"
events 12
clock 2000000000
property "WAITPROF::SAMPLING" cpu
incomplete
rank 0
)");
  EXPECT_EQ(trace.facts().program, "solver");
  EXPECT_EQ(trace.facts().mpi, "MPICH 4.0.2");
  EXPECT_EQ(trace.facts().creator, "waitprof 1.0");
  EXPECT_EQ(trace.facts().events, 12u);
  EXPECT_EQ(trace.facts().clock_resolution, 2'000'000'000u);
  EXPECT_EQ(trace.facts().properties.at("WAITPROF::SAMPLING"), "cpu");
  EXPECT_FALSE(trace.facts().communication_complete);
}

TEST(Text, RegionsOfTheSameNameHaveLabels) {
  const Trace trace = parse_text(R"(
region first name eos file a.f
region second name eos file b.f
rank 0
  0..1  first
  1..3  second
)");
  const auto pieces = of_rank(trace, 0).pieces(0);
  ASSERT_THAT(pieces, SizeIs(2));
  EXPECT_EQ(trace.region(pieces[0].call_path).name, "eos");
  EXPECT_EQ(trace.region(pieces[1].call_path).file, "b.f");
}

}  // namespace
}  // namespace waitdiag

// TraceBuilder: message ends, requests and collective parts.
//
// SPDX-License-Identifier: BSD-3-Clause
#include "tests/unit/trace/builder/trace_builder_fixture.hpp"

namespace waitdiag {
namespace {

using ::testing::SizeIs;
using MessageEndsTest = TraceBuilderTest;

TEST_F(MessageEndsTest, ReceivesAreInPostingOrderWithWhatWasMatched) {
  const RegionId irecv = mpi("MPI_Irecv"), recv = mpi("MPI_Recv"), waitall = mpi("MPI_Waitall");
  for (const int request : {5, 6}) {
    builder.enter(here, at(request), irecv);
    builder.irecv_request(here, at(request), static_cast<std::uint64_t>(request));
    builder.leave(here, at(request), irecv);
  }
  builder.enter(here, at(10), recv);
  builder.recv(here, at(12), Rank{1}, world, 1, 100);
  builder.leave(here, at(12), recv);
  builder.enter(here, at(20), waitall);
  builder.irecv(here, at(22), Rank{1}, world, 3, 300, 6);
  builder.irecv(here, at(24), Rank{1}, world, 2, 200, 5);
  builder.leave(here, at(25), waitall);
  const Trace trace = build();
  const auto& receives = timeline(trace).receives();
  ASSERT_THAT(receives, SizeIs(3));
  EXPECT_EQ(receives[0].tag, 2);
  EXPECT_EQ(receives[0].posted, 0u);
  EXPECT_EQ(receives[0].completed, 3u);
  EXPECT_EQ(receives[0].time, at(24));
  EXPECT_EQ(receives[0].bytes, 200u);
  EXPECT_EQ(receives[1].tag, 3);
  EXPECT_EQ(receives[1].posted, 1u);
  EXPECT_EQ(receives[2].tag, 1);
  EXPECT_EQ(receives[2].posted, 2u);
  EXPECT_EQ(receives[2].completed, 2u);
}

TEST_F(MessageEndsTest, SendsAreInRecordOrderWithTheirCompletion) {
  const RegionId isend = mpi("MPI_Isend"), send = mpi("MPI_Send"), wait = mpi("MPI_Wait");
  builder.enter(here, at(0), isend);
  builder.isend(here, at(1), Rank{1}, world, 4, 8, 77);
  builder.leave(here, at(2), isend);
  builder.enter(here, at(3), send);
  builder.send(here, at(3), Rank{1}, world, 5, 8);
  builder.leave(here, at(4), send);
  builder.enter(here, at(5), wait);
  builder.isend_complete(here, at(6), 77);
  builder.leave(here, at(6), wait);
  const Trace trace = build();
  const auto& sends = timeline(trace).sends();
  ASSERT_THAT(sends, SizeIs(2));
  EXPECT_EQ(sends[0].tag, 4);
  EXPECT_EQ(sends[0].time, at(1));
  EXPECT_EQ(sends[0].posted, 0u);
  EXPECT_EQ(sends[0].completed, 2u);
  EXPECT_EQ(sends[1].completed, 1u);
}

TEST_F(MessageEndsTest, CancelledAndForgottenRequestsAreReported) {
  const RegionId irecv = mpi("MPI_Irecv"), wait = mpi("MPI_Wait");
  builder.enter(here, at(0), irecv);
  builder.irecv_request(here, at(0), 1);
  builder.irecv_request(here, at(0), 2);
  builder.leave(here, at(1), irecv);
  builder.enter(here, at(2), wait);
  builder.request_cancelled(here, at(3), 1);
  builder.irecv(here, at(4), Rank{1}, world, 0, 0, 99);  // it was never posted
  builder.leave(here, at(4), wait);
  const Trace trace = build();
  const auto& receives = timeline(trace).receives();
  ASSERT_THAT(receives, SizeIs(3));
  EXPECT_TRUE(receives[0].cancelled);
  EXPECT_EQ(receives[0].completed, 1u);
  EXPECT_EQ(receives[1].completed, kNoOp);
  EXPECT_EQ(receives[1].peer, kNoRank);
  EXPECT_EQ(receives[2].posted, 1u);
  EXPECT_EQ(receives[2].peer, Rank{1});
  EXPECT_EQ(trace.anomalies().count("requests_never_completed"), 1u);
  EXPECT_EQ(trace.anomalies().count("unknown_requests"), 1u);
}

TEST_F(MessageEndsTest, CollectivePartsKeepTheirRecordsTimes) {
  const RegionId reduce = mpi("MPI_Reduce");
  builder.enter(here, at(10), reduce);
  builder.collective_begin(here, at(11));
  builder.collective_end(here, at(18), CollectiveKind::Reduce, world, Rank{1}, 8, 0);
  builder.leave(here, at(20), reduce);
  const Trace trace = build();
  ASSERT_THAT(timeline(trace).collectives(), SizeIs(1));
  const CollectivePart& part = timeline(trace).collectives()[0];
  EXPECT_EQ(part.begin, at(11));
  EXPECT_EQ(part.end, at(18));
  EXPECT_EQ(part.root, Rank{1});
  EXPECT_EQ(part.sent, 8u);
  EXPECT_EQ(part.op, 0u);
}

TEST_F(MessageEndsTest, MakingTheWorldIsInitAndDestroyingItFinalize) {
  const RegionId init = mpi("MPI_Init"), finalize = mpi("MPI_Finalize");
  builder.enter(here, at(0), init);
  builder.collective_begin(here, at(0));
  builder.collective_end(here, at(1), CollectiveKind::CreateHandle, world, kNoRank, 0, 0);
  builder.leave(here, at(1), init);
  builder.enter(here, at(2), finalize);
  builder.collective_begin(here, at(2));
  builder.collective_end(here, at(3), CollectiveKind::DestroyHandle, world, kNoRank, 0, 0);
  builder.leave(here, at(3), finalize);
  const Trace trace = build();
  EXPECT_EQ(timeline(trace).collectives()[0].kind, CollectiveKind::Init);
  EXPECT_EQ(timeline(trace).collectives()[1].kind, CollectiveKind::Finalize);
}

// One thread of rank 0 posts, another completes: legal under MPI_THREAD_MULTIPLE.
TEST_F(MessageEndsTest, AnotherThreadMayCompleteARequest) {
  const RegionId isend = mpi("MPI_Isend"), irecv = mpi("MPI_Irecv"), ibarrier = mpi("MPI_Ibarrier"),
                 wait = mpi("MPI_Wait");
  const Location second = builder.location({.rank = Rank{0}, .thread = 1});
  builder.enter(here, at(0), irecv);
  builder.irecv_request(here, at(0), 5);
  builder.leave(here, at(1), irecv);
  builder.enter(here, at(2), isend);
  builder.isend(here, at(2), Rank{1}, world, 4, 8, 6);
  builder.leave(here, at(3), isend);
  builder.enter(here, at(4), ibarrier);
  builder.collective_request(here, at(4), 7);
  builder.leave(here, at(5), ibarrier);
  builder.enter(second, at(10), wait);
  builder.irecv(second, at(20), Rank{1}, world, 3, 300, 5);
  builder.isend_complete(second, at(20), 6);
  builder.collective_complete(second, at(20), {.comm = world, .kind = CollectiveKind::Barrier}, 7);
  builder.leave(second, at(20), wait);
  const Trace trace = build();
  for (const char* oddity : {"unknown_requests", "requests_never_completed"})
    EXPECT_EQ(trace.anomalies().count(oddity), 0u) << oddity;
  const auto& receives = trace.timeline(second).receives();
  ASSERT_THAT(receives, SizeIs(1));
  EXPECT_EQ(receives[0].completed, 0u);
  EXPECT_EQ(receives[0].time, at(20));
  const auto& collectives = timeline(trace).collectives();
  ASSERT_THAT(collectives, SizeIs(1));
  EXPECT_EQ(collectives[0].kind, CollectiveKind::Barrier);
  EXPECT_EQ(collectives[0].end, at(5));
}

}  // namespace
}  // namespace waitdiag

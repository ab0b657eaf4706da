// Calls that become one: what they post and complete, and the time that they take, remain.
//
// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/trace/derived/joined_calls.hpp"

#include "tests/unit/trace/builder/trace_builder_fixture.hpp"

namespace waitdiag {
namespace {

class JoinedCallsTest : public TraceBuilderTest {
 protected:
  void post(std::int64_t begin, std::uint64_t request, Rank to) {
    builder.enter(here, at(begin), isend_);
    builder.isend(here, at(begin), to, world, 7, 100, request);
    builder.leave(here, at(begin + 2), isend_);
  }
  const RegionId isend_ = mpi("MPI_Isend"), wait_ = mpi("MPI_Wait");
};

TEST_F(JoinedCallsTest, PostsOfOneFunctionAreOneCallBehindWhatRanBetweenThem) {
  post(10, 1, Rank(1));
  call(12, 20, region("pack"));
  post(20, 2, Rank(1));
  for (const std::uint64_t request : {1, 2}) {
    builder.enter(here, at(30 + 10 * static_cast<std::int64_t>(request)), wait_);
    builder.isend_complete(here, at(32 + 10 * static_cast<std::int64_t>(request)), request);
    builder.leave(here, at(32 + 10 * static_cast<std::int64_t>(request)), wait_);
  }
  const Trace trace = join_requests(build());
  const Timeline& joined = timeline(trace);
  ASSERT_EQ(joined.size(), 2u);
  EXPECT_EQ(joined.enter(0), at(18));
  EXPECT_EQ(joined.leave(0), at(22));
  EXPECT_EQ(joined.enter(1), at(48));
  EXPECT_EQ(joined.leave(1), at(52));
  ASSERT_EQ(joined.sends().size(), 2u);
  for (const MessageEnd& end : joined.sends()) {
    EXPECT_EQ(end.posted, 0u);
    EXPECT_EQ(end.completed, 1u);
    EXPECT_GE(end.time, joined.enter(0));
  }
  Duration packed{};
  for (const ComputationPiece& piece : joined.pieces(0))
    if (piece.call_path != kNoCallPath && trace.region(piece.call_path).name == "pack") packed += piece.time;
  EXPECT_EQ(packed, at(20) - at(12));
}

TEST_F(JoinedCallsTest, OtherCallsRemainApart) {
  const RegionId barrier = mpi("MPI_Barrier");
  post(10, 1, Rank(1));
  call(20, 22, barrier);
  post(30, 2, Rank(1));
  EXPECT_EQ(timeline(join_requests(build())).size(), 3u);
}

}  // namespace
}  // namespace waitdiag

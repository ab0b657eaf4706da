// The user's regions follow the calls around them when these are moved or left out.
//
// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/trace/derived/retimed.hpp"
#include "analyzer/trace/derived/shortened.hpp"
#include "tests/unit/trace/builder/trace_builder_fixture.hpp"

namespace waitdiag {
namespace {

using testing::ElementsAre;

class MovedTimesTest : public TraceBuilderTest {
 protected:
  // Calls at 10..20, 30..40 and 50..60; a region from 25 to 45, another one from 32 to 34.
  Trace made() {
    const RegionId barrier = mpi("MPI_Barrier");
    call(10, 20, barrier);
    call(30, 40, barrier);
    call(50, 60, barrier);
    builder.user_region(here, {at(25), at(45), solve_});
    builder.user_region(here, {at(32), at(34), solve_});
    return build();
  }
  const RegionId solve_ = region("solve");
};

TEST_F(MovedTimesTest, RegionsKeepTheirPlaceInGaps) {
  std::vector<NewTimes> times(2);
  times[0] = {.begin = at(10), .enter = {at(10), at(40), at(70)}, .leave = {at(20), at(50), at(80)}};
  const Trace trace = retimed(made(), std::move(times), {});
  EXPECT_THAT(timeline(trace).user_regions(),
              ElementsAre(UserRegion{at(30), at(60), solve_}, UserRegion{at(42), at(44), solve_}));
}

TEST_F(MovedTimesTest, WhatIsLeftOutHasNoRegions) {
  const Trace trace = without_calls(made(), {{{1, 2}}, {}});
  EXPECT_THAT(timeline(trace).user_regions(), ElementsAre(UserRegion{at(20), at(25), solve_}));
}

// Calls of 10 ns, with work between them; each posts a receive that the third call after it completes.
class LoopsTest : public TraceBuilderTest {
 protected:
  Trace made() {
    const RegionId irecv = mpi("MPI_Irecv"), solve = region("solve");
    for (std::uint32_t i = 0; i < kCalls; ++i) {
      const std::int64_t enter = 30 * i + i % 7;
      if (i % 4 == 0) builder.step(here, at(enter - 5));
      if (i % 3 == 0) call(enter - 4, enter - 2, solve);
      if (i % 5 == 0) builder.sample(here, at(enter - 1), kNoCallPath, 1);
      builder.user_region(here, {at(enter - 3), at(enter + 40), solve});
      builder.enter(here, at(enter), irecv);
      builder.irecv_request(here, at(enter), i);
      if (i >= kLater) builder.irecv(here, at(enter + 9), Rank(1), world, 7, 100 + i, i - kLater);
      builder.leave(here, at(enter + 10), irecv);
    }
    return build();
  }
  static constexpr std::uint32_t kCalls = 40, kLater = 3;
};

void expect_same(const Timeline& one, const Timeline& other) {
  ASSERT_EQ(one.size(), other.size());
  EXPECT_EQ(one.end(), other.end());
  for (std::uint32_t op = 0; op < one.size(); ++op) {
    EXPECT_EQ(one.enter(op), other.enter(op)) << op;
    EXPECT_EQ(one.leave(op), other.leave(op)) << op;
    EXPECT_EQ(one.pieces(op).size(), other.pieces(op).size()) << op;
    EXPECT_EQ(one.samples(op).size(), other.samples(op).size()) << op;
  }
  ASSERT_EQ(one.receives().size(), other.receives().size());
  for (std::size_t i = 0; i < one.receives().size(); ++i) {
    EXPECT_EQ(one.receives()[i].posted, other.receives()[i].posted) << i;
    EXPECT_EQ(one.receives()[i].completed, other.receives()[i].completed) << i;
    EXPECT_EQ(one.receives()[i].time, other.receives()[i].time) << i;
  }
  EXPECT_EQ(one.step_marks(), other.step_marks());
  EXPECT_EQ(one.user_regions(), other.user_regions());
}

TEST_F(LoopsTest, RangesAtOnceAreLikeOneAfterTheOtherFromTheLast) {
  const Trace whole = made();
  const std::vector<CallRange> ranges{{2, 5}, {5, 6}, {9, 9}, {13, 14}, {15, 20}, {24, 30}};
  const Trace at_once = without_calls(whole, {ranges, {}});
  Trace in_turn = without_calls(whole, {{ranges.back()}, {}});
  for (std::size_t i = ranges.size() - 1; i-- > 0;) in_turn = without_calls(in_turn, {{ranges[i]}, {}});
  EXPECT_EQ(timeline(at_once).size(), kCalls - 16);
  expect_same(timeline(at_once), timeline(in_turn));
}

}  // namespace
}  // namespace waitdiag

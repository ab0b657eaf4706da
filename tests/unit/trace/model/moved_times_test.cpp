// The user's regions follow the calls around them when these are moved or left out.
//
// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/trace/model/retimed.hpp"
#include "analyzer/trace/model/shortened.hpp"
#include "tests/unit/trace/model/trace_builder_fixture.hpp"

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
  const Trace trace = without_calls(made(), {{1, 2}, {}});
  EXPECT_THAT(timeline(trace).user_regions(), ElementsAre(UserRegion{at(20), at(25), solve_}));
}

}  // namespace
}  // namespace waitdiag

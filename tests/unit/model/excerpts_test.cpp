// Excerpts of a run, one behind the other.
//
// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/model/excerpts.hpp"

#include "tests/unit/model/trace_builder_fixture.hpp"

namespace waitdiag {
namespace {

// Rank 0 pauses from 20 to 60, rank 1 from 25 to 70: both from 25 to 60.
class ExcerptsTest : public TraceBuilderTest {
 protected:
  void pause(Location location, std::int64_t off, std::int64_t on) {
    builder.measurement(location, at(off), false);
    builder.excerpt(location, at(on), 3);
    builder.measurement(location, at(on), true);
  }
  Trace joined() {
    const RegionId barrier = mpi("MPI_Barrier");
    builder.facts().excerpts = true;
    call(5, 10, barrier);
    pause(here, 20, 60);
    call(80, 90, barrier);
    builder.enter(there, at(5), barrier);
    builder.leave(there, at(12), barrier);
    pause(there, 25, 70);
    builder.enter(there, at(85), barrier);
    builder.leave(there, at(90), barrier);
    builder.user_region(here, {at(15), at(65), barrier});
    builder.total(here, kNoCallPath, barrier, {.calls = 7, .time = Duration(40)});
    return join_excerpts(build());
  }
};

TEST_F(ExcerptsTest, WhatAllRanksLeftOutIsCutOut) {
  const Trace trace = joined();
  EXPECT_EQ(trace.facts().run_time, Duration(85));
  EXPECT_EQ(trace.end() - trace.begin(), Duration(50));
  EXPECT_EQ(timeline(trace).enter(1), at(45));
  EXPECT_EQ(timeline(trace).leave(1), at(55));
  EXPECT_EQ(timeline(trace).left_out(), Duration(35));
  EXPECT_EQ(trace.timeline(there).enter(1), at(50));
  ASSERT_EQ(timeline(trace).user_regions().size(), 1u);
  EXPECT_EQ(timeline(trace).user_regions()[0].begin, at(15));
  EXPECT_EQ(timeline(trace).user_regions()[0].end, at(30));
}

TEST_F(ExcerptsTest, GapsLoseThePauseFirst) {
  EXPECT_EQ(pieces(joined(), 1), (Pieces{{"-", 30}, {"MEASUREMENT OFF", 5}}));
}

TEST_F(ExcerptsTest, EveryTimeBelongsToAnExcerpt) {
  const Trace trace = joined();
  EXPECT_EQ(timeline(trace).excerpt_at(timeline(trace).enter(0)), 0u);
  EXPECT_EQ(timeline(trace).excerpt_at(timeline(trace).enter(1)), 3u);
}

TEST_F(ExcerptsTest, TotalsKeepTheirCallPath) {
  const Trace trace = joined();
  ASSERT_EQ(timeline(trace).totals().size(), 1u);
  const CallTotal& total = timeline(trace).totals().front();
  EXPECT_EQ(trace.call_path_name(total.call_path), "MPI_Barrier");
  EXPECT_EQ(total.calls, 7u);
}

TEST_F(ExcerptsTest, ATraceWithoutPausesStaysAsItIs) {
  call(5, 10, mpi("MPI_Barrier"));
  const Trace trace = join_excerpts(build());
  EXPECT_EQ(timeline(trace).enter(0), at(5));
  EXPECT_EQ(timeline(trace).left_out(), Duration(0));
}

}  // namespace
}  // namespace waitdiag

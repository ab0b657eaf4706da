// Excerpts of a run, one after another.
//
// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/trace/builder/excerpts.hpp"

#include "tests/unit/trace/builder/trace_builder_fixture.hpp"

namespace waitdiag {
namespace {

// Rank 0 pauses from 20 to 60, rank 1 from 25 to 70: both from 25 to 60.
class ExcerptsTest : public TraceBuilderTest {
 protected:
  void pause(Location location, std::int64_t off, std::int64_t on) {
    builder.measurement(location, at(off), false);
    builder.excerpt(location, 3);
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
    return build();
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
  EXPECT_EQ(timeline(trace).excerpt_of(0), 0u);
  EXPECT_EQ(timeline(trace).excerpt_of(1), 3u);
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
  const Trace trace = build();
  EXPECT_EQ(timeline(trace).enter(0), at(5));
  EXPECT_EQ(timeline(trace).left_out(), Duration(0));
  EXPECT_FALSE(trace.facts().paused);
  EXPECT_EQ(excerpts_note(trace), "");
}

// The program's own pauses: the part that is left out begins with the first rank's pause and ends with the
// last one's.
class PausesTest : public TraceBuilderTest {
 protected:
  void call_of(Location location, std::int64_t enter, std::int64_t leave) {
    builder.enter(location, at(enter), barrier_);
    builder.leave(location, at(leave), barrier_);
  }
  void pause(Location location, std::int64_t off, std::int64_t on) {
    builder.measurement(location, at(off), false);
    builder.measurement(location, at(on), true);
  }

  const RegionId barrier_ = mpi("MPI_Barrier");
};

TEST_F(PausesTest, LeaveOutWhatNotAllRanksRecorded) {
  call_of(here, 0, 10);
  pause(here, 20, 60);
  call_of(here, 65, 90);  // until 70 rank 1 is not recorded
  call_of(there, 0, 10);
  call_of(there, 15, 22);
  pause(there, 25, 70);
  call_of(there, 85, 90);
  const Trace trace = build();
  EXPECT_TRUE(trace.facts().paused);
  EXPECT_EQ(trace.facts().run_time, Duration(90));
  EXPECT_EQ(trace.end() - trace.begin(), Duration(20 + 20));
  EXPECT_EQ(timeline(trace).length(1), Duration(20));
  EXPECT_EQ(trace.timeline(there).length(1), Duration(5));
  EXPECT_EQ(trace.timeline(there).length(2), Duration(5));
  EXPECT_EQ(pieces(trace, 1), (Pieces{{"-", 10}, {"MEASUREMENT OFF", 0}}));
  EXPECT_EQ(timeline(trace).left_out(), Duration(50));
  EXPECT_EQ(excerpts_note(trace),
            "The recording was paused, 0.000 s of 0.000 s were recorded; all this is about what was "
            "recorded, one behind the other.");
}

TEST_F(PausesTest, AreNumberedByWhatLiesBetween) {
  for (const Location location : {here, there}) call_of(location, 0, 10);
  call_of(there, 15, 24);
  pause(here, 20, 60);
  pause(there, 24, 60);
  for (const Location location : {here, there}) call_of(location, 60, 70);
  const Trace trace = build();
  ASSERT_TRUE(trace.facts().numbered_excerpts);
  EXPECT_EQ(timeline(trace).excerpt_of(0), 0u);
  EXPECT_EQ(timeline(trace).excerpt_of(1), 1u);
  EXPECT_EQ(trace.timeline(there).excerpt_of(1), 0u);  // squeezed into the moment in which number 1 begins
  EXPECT_EQ(trace.timeline(there).excerpt_of(2), 1u);
  EXPECT_EQ(trace.anomalies().all().front().gravity, Gravity::Warning);
}

TEST_F(PausesTest, OfOneRankOnlyAreTheEnd) {
  const RegionId send = mpi("MPI_Send");
  builder.enter(here, at(0), send);
  builder.send(here, at(0), Rank{1}, world, 0, 8);
  builder.leave(here, at(5), send);
  builder.step(here, at(5));
  call_of(here, 15, 40);
  builder.step(here, at(45));
  builder.enter(here, at(50), send);
  builder.send(here, at(50), Rank{1}, world, 0, 8);
  builder.leave(here, at(55), send);
  call_of(here, 60, 100);
  call_of(there, 0, 10);
  pause(there, 20, 60);
  call_of(there, 80, 100);
  const Trace trace = build();
  EXPECT_EQ(trace.facts().run_time, Duration(100));
  EXPECT_EQ(trace.end() - trace.begin(), Duration(20));
  ASSERT_EQ(timeline(trace).size(), 2u);
  EXPECT_EQ(timeline(trace).length(1), Duration(5));
  EXPECT_EQ(pieces(trace, 1), (Pieces{{"-", 10}}));
  EXPECT_THAT(timeline(trace).sends(), testing::SizeIs(1));
  EXPECT_THAT(timeline(trace).step_marks(), testing::SizeIs(1));
  EXPECT_EQ(trace.timeline(there).size(), 1u);
  EXPECT_FALSE(trace.facts().numbered_excerpts);
  ASSERT_EQ(trace.anomalies().count("measurement_off"), 1u);
  EXPECT_EQ(trace.anomalies().all().front().gravity, Gravity::Serious);
}

TEST_F(PausesTest, OfOneRankOnlyEndThreadsAsWell) {
  builder.off_regions();
  const RegionId create = builder.region({.name = "pthread_create", .kind = CallKind::ThreadSync});
  const Location thread = builder.location({.rank = Rank{0}, .thread = 1});
  call_of(here, 0, 10);
  call(70, 72, create);
  builder.thread(here, at(72), {.what = ThreadRecord::What::Create, .number = 1});
  builder.expect(thread, {.enters = 1});
  builder.thread(thread, at(5), {.what = ThreadRecord::What::Begin, .number = 1});
  call_of(thread, 12, 15);
  call_of(thread, 75, 80);
  builder.thread(thread, at(90), {.what = ThreadRecord::What::End, .number = 1});
  call_of(there, 0, 10);
  pause(there, 20, 60);
  call_of(there, 80, 100);
  const Trace trace = build();
  EXPECT_EQ(timeline(trace).size(), 1u);
  EXPECT_THAT(timeline(trace).thread_starts(), testing::IsEmpty());
  ASSERT_THAT(trace.timeline(thread).lives(), testing::SizeIs(1));
  EXPECT_EQ(trace.timeline(thread).lives().front().before, 0u);
  EXPECT_EQ(trace.timeline(thread).lives().front().behind, kNoOp);
}

TEST_F(PausesTest, OfAProcessAreThoseOfAllItsThreads) {
  const Location thread = builder.location({.rank = Rank{0}, .thread = 1});
  call_of(here, 0, 100);
  call_of(there, 0, 100);
  builder.measurement(thread, at(20), false);  // one thread pauses, another one resumes
  builder.measurement(here, at(100), true);
  const Trace trace = build();
  EXPECT_EQ(trace.end() - trace.begin(), Duration(20));
}

TEST_F(PausesTest, EndWithACallThatWasNeverLeft) {
  for (const Location location : {here, there}) {
    call_of(location, 0, 10);
    builder.measurement(location, at(20), false);
  }
  builder.enter(here, at(50), barrier_);
  builder.seen(here, at(100));
  builder.seen(there, at(90));
  const Trace trace = build();
  EXPECT_EQ(trace.end() - trace.begin(), Duration(20 + 50));
  EXPECT_EQ(timeline(trace).length(1), Duration(50));
}

}  // namespace
}  // namespace waitdiag

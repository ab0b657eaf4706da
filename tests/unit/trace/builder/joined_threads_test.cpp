// What a joined thread did takes the place of the wait for its end.
//
// SPDX-License-Identifier: BSD-3-Clause
#include <gmock/gmock.h>

#include <initializer_list>
#include <map>
#include <string>

#include "tests/unit/trace/builder/trace_builder_fixture.hpp"

namespace waitdiag {
namespace {

using ::testing::UnorderedElementsAre;

constexpr std::int64_t kMs = 1'000'000;  // and a sample

class JoinedThreadsTest : public TraceBuilderTest {
 protected:
  using What = ThreadRecord::What;

  JoinedThreadsTest() { builder.off_regions(); }

  CallPathId path(const std::string& name) {
    const auto [known, is_new] = paths_.try_emplace(name);
    if (is_new) known->second = builder.call_path(kNoCallPath, builder.region({.name = name}));
    return known->second;
  }

  struct Work {
    const char* function;
    std::uint32_t milliseconds;
  };
  // A thread of a rank, started by start(), computes from then on, or begins later.
  void thread(int rank, std::uint64_t number, std::int64_t begin, std::initializer_list<Work> work,
              std::int64_t later = 0) {
    const Location location = builder.location({.rank = Rank{rank}, .thread = ++threads_});
    builder.thread(rank == 0 ? here : there, at(begin * kMs), {What::Create, number, path("start")});
    std::int64_t now = begin + later;
    builder.thread(location, at(now * kMs), {What::Begin, number, path("first")});
    for (const auto& [function, milliseconds] : work)
      for (std::uint32_t i = 0; i < milliseconds; ++i)
        builder.sample(location, at(++now * kMs), path(function), 1);
    builder.thread(location, at(now * kMs), {What::End, number});
  }
  // The same, but it only sleeps.
  void sleeping_thread(std::uint64_t number, std::int64_t begin, std::int64_t end) {
    const Location location = builder.location({.rank = Rank{0}, .thread = ++threads_});
    builder.expect(location, {.enters = 1});
    builder.thread(here, at(begin * kMs), {What::Create, number, path("start")});
    builder.thread(location, at(begin * kMs), {What::Begin, number, path("first")});
    builder.enter(location, at(begin * kMs), sleep_, path("doze"));
    builder.off_processor(location, at(end * kMs), Duration((end - begin) * kMs), OffReason::Blocked, 0);
    builder.leave(location, at(end * kMs), sleep_);
    builder.thread(location, at(end * kMs), {What::End, number});
  }
  // The same, but it calls MPI, and computes behind that.
  Location calling_thread(Location main, std::uint64_t number, std::int64_t begin, std::int64_t call,
                          std::int64_t end) {
    const Location location =
        builder.location({.rank = main == here ? Rank{0} : Rank{1}, .thread = ++threads_});
    builder.expect(location, {.enters = 1});
    builder.thread(main, at(begin * kMs), {What::Create, number, path("start")});
    builder.thread(location, at(begin * kMs), {What::Begin, number, path("first")});
    barrier(location, call);
    for (std::int64_t now = call + 1; now <= end; ++now)
      builder.sample(location, at(now * kMs), path("spin"), 1);
    builder.thread(location, at(end * kMs), {What::End, number});
    return location;
  }
  void barrier(Location location, std::int64_t time) {
    builder.enter(location, at(time * kMs), barrier_, path("main"));
    builder.leave(location, at(time * kMs), barrier_);
  }
  void join(Location location, std::uint64_t number, std::int64_t begin, std::int64_t end) {
    builder.enter(location, at(begin * kMs), join_, path("main"));
    builder.off_processor(location, at(end * kMs), Duration((end - begin) * kMs), OffReason::Blocked, 0);
    builder.leave(location, at(end * kMs), join_);
    builder.thread(location, at(end * kMs), {What::Wait, number});
  }
  // Where nothing is known of the processor, or of a thread that calls MPI.
  void plain_join(RegionId region, std::uint64_t number, std::int64_t begin, std::int64_t end) {
    builder.enter(here, at(begin * kMs), region, path("main"));
    builder.leave(here, at(end * kMs), region);
    builder.thread(here, at(end * kMs), {What::Wait, number});
  }
  // Of the stretch behind the first call on rank 0.
  std::map<std::string, std::uint32_t> samples(const Trace& trace) const {
    std::map<std::string, std::uint32_t> named;
    for (const ComputationSample& sample : trace.timeline(Location{0}).samples(1))
      named[trace.call_path_name(sample.call_path)] += sample.weight;
    return named;
  }

 private:
  std::map<std::string, CallPathId> paths_;
  std::uint32_t threads_ = 0;
  const RegionId barrier_ = builder.region({.name = "MPI_Barrier"});

 protected:
  const RegionId sleep_ = builder.region({.name = "nanosleep", .library = true});
  const RegionId join_ = builder.region({.name = "pthread_join", .library = true});
  const RegionId join_of_caller_ =
      builder.region({.name = "pthread_join (of a thread that calls MPI)", .library = true});
};

TEST_F(JoinedThreadsTest, OneThreadIsWhatItsWaitConsistsOf) {
  barrier(here, 0);
  thread(0, 1, 10, {{"prepare", 30}, {"spin", 60}});
  join(here, 1, 10, 100);
  barrier(here, 110);
  const Trace trace = build();
  EXPECT_THAT(samples(trace), UnorderedElementsAre(std::pair("prepare", 30), std::pair("spin", 60)));
  EXPECT_EQ(pieces(trace, 1).front().first, "-");
  EXPECT_EQ(pieces(trace, 1).front().second, 110 * kMs);
  ASSERT_EQ(trace.joined_threads().size(), 2U);
  EXPECT_EQ(trace.joined_threads().back().time, Duration(60 * kMs));
}

// Of several threads, the one that ended last; the first one would have been waited for no matter when it ended.
TEST_F(JoinedThreadsTest, TheLastOneHoldsUpTheRest) {
  barrier(here, 0);
  thread(0, 1, 0, {{"early", 80}});
  thread(0, 2, 0, {{"late", 100}});
  join(here, 1, 0, 80);
  join(here, 2, 80, 100);
  barrier(here, 100);
  EXPECT_THAT(samples(build()), UnorderedElementsAre(std::pair("late", 100)));
}

// Until the last one begins, the first one is waited for. That is shorter: its samples say nothing about what makes the
// other one longer, of which each time is too short for samples of its own.
TEST_F(JoinedThreadsTest, SamplesOfThreadsOfOtherLengthsAreNotMixed) {
  barrier(here, 0);
  for (int i = 0; i < 12; ++i) {
    const std::int64_t begin = 30 * i;
    const std::uint64_t first = 10 + 3 * static_cast<std::uint64_t>(i);
    thread(0, first, begin, {{"alike", 10}});
    thread(0, first + 1, begin, {{"alike", 10}, {"spin", 8}}, 1);
    join(here, first, begin, begin + 10);
    join(here, first + 1, begin + 10, begin + 19);
    thread(1, first + 2, begin, {{"alike", 10}});
  }
  barrier(here, 360);
  EXPECT_NEAR(samples(build()).at("spin"), 12 * 8, 2);
}

// They do not work at the same time.
TEST_F(JoinedThreadsTest, OneAfterTheOther) {
  barrier(here, 0);
  thread(0, 1, 0, {{"one", 40}});
  join(here, 1, 0, 40);
  thread(0, 2, 40, {{"other", 60}});
  join(here, 2, 40, 100);
  barrier(here, 100);
  EXPECT_THAT(samples(build()), UnorderedElementsAre(std::pair("one", 40), std::pair("other", 60)));
}

// The main thread works for 100 ms itself. Threads of other ranks take 80: what makes the difference is spin.
TEST_F(JoinedThreadsTest, BesideOtherWorkTheWaitIsWhatTookLongerThanUsual) {
  barrier(here, 0);
  thread(0, 1, 0, {{"spin", 70}, {"prepare", 70}});
  join(here, 1, 100, 140);
  barrier(here, 140);
  for (int rank = 1; rank <= 3; ++rank) thread(rank, 10 + rank, 0, {{"spin", 10}, {"prepare", 70}});
  EXPECT_THAT(samples(build()), UnorderedElementsAre(std::pair("spin", 40)));
}

// Of two ranks, the one that takes longer is the one that is late.
TEST_F(JoinedThreadsTest, OfTwoRanksTheFasterOneIsUsual) {
  barrier(here, 0);
  thread(0, 1, 0, {{"spin", 70}, {"prepare", 70}});
  join(here, 1, 100, 140);
  barrier(here, 140);
  thread(1, 2, 0, {{"spin", 10}, {"prepare", 70}});
  EXPECT_THAT(samples(build()), UnorderedElementsAre(std::pair("spin", 40)));
}

TEST_F(JoinedThreadsTest, AThreadThatSleptMadeItsRankSleep) {
  barrier(here, 0);
  sleeping_thread(1, 10, 100);
  join(here, 1, 10, 100);
  barrier(here, 110);
  const Trace trace = build();
  EXPECT_EQ(trace.workers().size(), 1U);
  EXPECT_THAT(pieces(trace, 1), ::testing::Contains(std::pair("doze/nanosleep/(blocked)", 90 * kMs)));
}

TEST_F(JoinedThreadsTest, WhereNothingIsKnownOfTheProcessorTheCallIsTheWait) {
  barrier(here, 0);
  thread(0, 1, 10, {{"spin", 90}});
  plain_join(join_, 1, 10, 100);
  barrier(here, 110);
  EXPECT_THAT(samples(build()), UnorderedElementsAre(std::pair("spin", 90)));
}

// The join did not wait, so that it is not in the trace; another call did.
TEST_F(JoinedThreadsTest, AnotherCallJustBeforeIsNoJoin) {
  barrier(here, 0);
  thread(0, 1, 10, {{"spin", 20}});
  plain_join(sleep_, 1, 10, 100);
  barrier(here, 110);
  EXPECT_THAT(samples(build()), UnorderedElementsAre());
}

// Nobody but the thread that joins it waits for what it does behind its last call. As long as on another rank, it may
// have been done beside other work.
TEST_F(JoinedThreadsTest, WhatTakesACallerLongerBehindItsLastCallMovesToItsJoin) {
  barrier(here, 0);
  const Location caller = calling_thread(here, 1, 0, 40, 100);
  plain_join(join_of_caller_, 1, 20, 100);
  barrier(here, 110);
  calling_thread(there, 2, 0, 40, 60);
  const Trace trace = build();
  EXPECT_EQ(trace.leave({here, 1}), at(60 * kMs));
  std::uint32_t weight = 0, left = 0;
  for (const ComputationSample& sample : trace.timeline(here).samples(2)) weight += sample.weight;
  EXPECT_EQ(weight, 40U);
  const Timeline& timeline = trace.timeline(caller);
  const std::uint32_t behind = timeline.lives().front().behind;
  EXPECT_EQ(timeline.enter(behind), at(60 * kMs));
  for (const ComputationSample& sample : timeline.samples(behind)) left += sample.weight;
  EXPECT_EQ(left, 20U);
}

// A thread that never computed waited for something, nobody knows for what.
TEST_F(JoinedThreadsTest, AThreadWithoutSamplesLeavesTheWaitAsItIs) {
  barrier(here, 0);
  thread(0, 1, 0, {});
  join(here, 1, 0, 50);
  barrier(here, 50);
  EXPECT_THAT(pieces(build(), 1), ::testing::Contains(std::pair("main/pthread_join/(blocked)", 50 * kMs)));
}

// A thread whose end is not known, or that nobody joined, changes nothing.
TEST_F(JoinedThreadsTest, UnknownThreadsLeaveTheWaitAsItIs) {
  barrier(here, 0);
  join(here, 7, 0, 50);
  barrier(here, 50);
  const Trace trace = build();
  EXPECT_THAT(samples(trace), UnorderedElementsAre());
  EXPECT_THAT(pieces(trace, 1), ::testing::Contains(std::pair("main/pthread_join/(blocked)", 50 * kMs)));
}

}  // namespace
}  // namespace waitdiag

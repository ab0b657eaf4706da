// The parts of the delay analysis: where time is booked, sums over intervals, the order of waits, passing
// delays on.
//
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include "analyzer/diagnosis/causes/delay_costs.hpp"
#include "analyzer/diagnosis/causes/interval_times.hpp"
#include "analyzer/diagnosis/causes/passed_on.hpp"
#include "analyzer/diagnosis/intervals/wait_order.hpp"
#include "tests/unit/diagnosis/diagnosis_support.hpp"

namespace waitdiag {
namespace {

// Shares of the segment in one gap, by name of the call path.
std::map<std::string, double> shares(const Trace& trace, const Activities& activities, std::size_t gap) {
  std::map<std::string, double> result;
  activities.for_each_in_gap(Location(0), gap, [&](ActivityId activity, Duration) {
    if (activities.is_exact(activity)) return;
    for (const Share& share : activities.shares(activity))
      result[trace.call_path_name(share.call_path)] = share.share();
  });
  return result;
}

TEST(Activities, ManySamplesSayMoreAboutThemselvesThanFewDo) {
  const Trace trace = parse_text(R"(
    rank 0
      0..1 MPI_Barrier
      1..10 samples main/a:1
      10..11 MPI_Barrier
      11..20 samples main/b:3
      20..21 MPI_Barrier
      21..90 samples main/c:20
      90..91 MPI_Barrier)");
  const Activities activities(trace);
  // The two short ones are alike: 1 a, 3 b. So few samples do not rule out c, which makes up nearly all of
  // the long one; and its twenty samples leave little room for what the short ones have.
  const std::map<std::string, double> few = shares(trace, activities, 1), many = shares(trace, activities, 3);
  EXPECT_NEAR(few.at("main/b"), 3 * few.at("main/a"), 1e-9);
  EXPECT_GT(few.at("main/a") + few.at("main/b"), 0.7);
  EXPECT_EQ(shares(trace, activities, 2), few);
  EXPECT_GT(many.at("main/c"), 0.9);
}

TEST(Activities, AnUnsampledSegmentBelongsToTheFunctionAroundBothCalls) {
  const Trace trace = parse_text(R"(
    rank 0
      0..1 main/solve/inner/MPI_Barrier
      1..10 -
      10..11 main/solve/other/MPI_Barrier
      11..20 -
      20..21 main/MPI_Barrier)");
  const Activities activities(trace);
  EXPECT_EQ(shares(trace, activities, 1), (std::map<std::string, double>{{"main/solve", 1.0}}));
  EXPECT_EQ(shares(trace, activities, 2), (std::map<std::string, double>{{"main", 1.0}}));
  EXPECT_NEAR(profile(trace, activities).unsampled_nanoseconds, 18, 1e-9);
}

TEST(Activities, TheMeasurementItselfBelongsToNoFunction) {
  const Trace trace = parse_text(R"(
    rank 0
      0..1 MPI_Barrier
      1..10 "TRACE BUFFER FLUSH"
      10..11 MPI_Barrier)");
  const Activities activities(trace);
  for (const ProfileEntry& entry : profile(trace, activities).entries) {
    EXPECT_EQ(trace.call_path_name(entry.call_path), "MPI_Barrier");
  }
}

TEST(Profile, CountsCallsAndFindsHotspots) {
  const Trace trace = parse_text(R"(
    rank 0
      0..90 solve
      90..99 MPI_Barrier
      99..100 MPI_Barrier)");
  const Activities activities(trace);
  const Profile result = profile(trace, activities);
  ASSERT_EQ(result.entries.size(), 2u);
  EXPECT_EQ(result.entries[1].visits, 2u);
  const std::vector<bool> hot = hotspots(result, activities, 0.1);
  EXPECT_TRUE(hot[activities.slot(result.entries[0].call_path)]);
  EXPECT_FALSE(hot[activities.slot(result.entries[1].call_path)]);  // 10 of 100 is not more than a tenth
}

// 300 times: 3 in `odd` or `even`, then a barrier in which rank 0 waits 2 of its 5 (rank 1 arrives 2 later).
std::string many_barriers() {
  std::string early = "rank 0\n", late = "rank 1\n";
  for (int i = 0; i < 300; ++i) {
    const std::string function = i % 2 == 0 ? "even" : "odd";
    const auto line = [&](int from, int to, const std::string& what) {
      return std::to_string(10 * i + from) + ".." + std::to_string(10 * i + to) + " " + what + "\n";
    };
    early += line(0, 3, function) + line(3, 10, "MPI_Barrier");
    late += line(0, 5, function) + line(5, 10, "MPI_Barrier");
  }
  return early + late;
}

TEST(IntervalTimes, LongAndShortIntervalsAddUpTheSame) {
  const Trace trace = parse_text(many_barriers());
  const SyncPoints sync = match(trace);
  const WaitStates states = detect(trace, sync, {});
  const Activities activities(trace);
  const ActivitySums sums(trace, activities, states);
  IntervalTimes times(trace, activities, states, sums);
  const auto nanoseconds = [&](std::uint32_t op) {  // of the call path of this operation
    return times[activities.exact(trace.call_path({Location(0), op}))].count();
  };
  const auto even = [&] {
    const CallPathId path = trace.timeline(Location(0)).pieces(0)[0].call_path;
    return times[activities.exact(path)].count();
  };
  for (const std::uint32_t start : {0u, 1u, 5u, 62u, 63u, 64u, 128u, 250u, 289u}) {
    times.set(Location(0), start, Time::min(), 290);
    const std::uint32_t calls = 290 - start - 1;
    EXPECT_EQ(nanoseconds(0), 5 * calls) << start;  // 7 less the 2 it waited
    EXPECT_EQ(times.last_wait() - times.first_wait(), calls) << start;
    const std::uint32_t even_gaps = 290 / 2 - start / 2;
    EXPECT_EQ(even(), 3 * even_gaps) << start;
  }
}

TEST(IntervalTimes, AnEarlierStartExtendsWhatIsKnown) {
  const Trace trace = parse_text(many_barriers());
  const SyncPoints sync = match(trace);
  const WaitStates states = detect(trace, sync, {});
  const Activities activities(trace);
  const ActivitySums sums(trace, activities, states);
  IntervalTimes grown(trace, activities, states, sums), fresh(trace, activities, states, sums);
  for (const std::uint32_t start : {250u, 200u, 120u, 3u, 1u}) {
    grown.set(Location(0), start, Time::min(), 260);
    fresh.set(Location(1), 0, Time::min(), 2);
    fresh.set(Location(0), start, Time::min(), 260);
    for (const std::uint32_t key : fresh.activities()) {
      EXPECT_EQ(grown[ActivityId(key)], fresh[ActivityId(key)]) << start;
    }
    EXPECT_EQ(grown.first_wait(), fresh.first_wait());
  }
}

TEST(IntervalTimes, ACutDividesGapCallAndWait) {
  const Trace trace = parse_text(R"(
    rank 0
      0..40 solve
      40..50 MPI_Barrier
    rank 1
      0..10 solve
      10..50 MPI_Barrier
      50..60 solve
      60..61 MPI_Comm_rank)");
  const SyncPoints sync = match(trace);
  const WaitStates states = detect(trace, sync, {});
  const Activities activities(trace);
  const ActivitySums sums(trace, activities, states);
  IntervalTimes times(trace, activities, states, sums);
  const ActivityId barrier = activities.exact(trace.call_path({Location(1), 0}));
  const ActivityId solve = activities.exact(trace.timeline(Location(1)).pieces(0)[0].call_path);

  times.set(Location(1), kNoOp, at(4), 1);  // in the first gap: 6 of its 10 are left
  EXPECT_EQ(times[solve].count(), 16);
  EXPECT_EQ(times[barrier].count(), 10);
  EXPECT_EQ(times.cut_waits(), 0u);

  times.set(Location(1), kNoOp, at(34), 1);  // in the wait from 10 to 40: a fifth is left
  EXPECT_EQ(times[solve].count(), 10);
  EXPECT_EQ(times[barrier].count(), 10);
  EXPECT_EQ(times.cut_waits(), 1u);
  EXPECT_NEAR(times.cut_share(), 0.2, 1e-12);

  times.set(Location(1), kNoOp, at(44), 1);  // after the wait: 6 are left
  EXPECT_EQ(times[barrier].count(), 6);
  EXPECT_NEAR(times.cut_share(), 0, 1e-12);
}

TEST(WaitOrder, FollowsTheChainBackAtOneInstant) {
  const Trace trace = parse_text(R"(
    rank 0
      0..30 MPI_Recv from 1
    rank 1
      0..30 MPI_Recv from 2
      30..30 MPI_Send to 0
    rank 2
      0..30 solve
      30..30 MPI_Send to 1)");
  const SyncPoints sync = match(trace);
  const WaitStates states = detect(trace, sync, {});
  const std::vector<std::uint32_t> order = latest_first(trace, states, causal_intervals(trace, sync, states));
  ASSERT_EQ(order.size(), 2u);
  EXPECT_EQ(states.waits[order[0]].victim.location, Location(0));
  EXPECT_EQ(states.waits[order[1]].victim.location, Location(1));
}

TEST(PassedOn, CostsReachExactlyTheWaitsOfAnInterval) {
  WaitStates states;
  for (std::uint32_t op = 0; op < 4; ++op) {
    states.waits.push_back({.victim = {Location(0), op},
                            .cause = {Location(1), op},
                            .wait = Duration(10),
                            .pattern = id_of(late_sender)});
  }
  states.first_wait = {0, 4, 4};
  PassedOn passed(states);
  const auto take = [&](std::uint32_t wait) { return passed.take(wait, states.waits[wait])[0]; };
  EXPECT_EQ(take(3), 0);
  const auto last_three = passed.stretch(Location(0), 1, 4);
  EXPECT_EQ(last_three.nanoseconds, 30);
  const auto inside = passed.open_waits(Location(0), last_three, 1);  // the last one is taken already
  EXPECT_EQ(inside.last, 3u);
  EXPECT_EQ(inside.nanoseconds, 20);
  passed.add(inside, {0.5});
  passed.add(passed.open_waits(Location(0), passed.stretch(Location(0), 2, 3), 0.25), {2});
  EXPECT_EQ(take(2), 10);  // (0.5 + 0.25 * 2) * 10
  EXPECT_EQ(take(1), 5);
  EXPECT_EQ(take(0), 0);
}

}  // namespace
}  // namespace waitdiag

// Calls that took longer than usual: what of it is known.
//
// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/diagnosis/activities/stalled_calls.hpp"

#include <gtest/gtest.h>

#include <string>

#include "analyzer/diagnosis/activities/profile.hpp"
#include "analyzer/diagnosis/causes/interval_times.hpp"
#include "analyzer/diagnosis/repairs/cause_places.hpp"
#include "tests/unit/diagnosis/diagnosis_support.hpp"

namespace waitdiag {
namespace {

// Sends that usually take 2, with 8 of computation before each. Of `last`, the one at 90, another thread has the
// processor for so many.
Trace ten_sends(int last, const std::string& taken) {
  std::string text = "rank 0\n";
  for (int i = 0; i < 9; ++i) {
    const int begin = 10 * i;
    text += std::to_string(begin) + ".." + std::to_string(begin + 8) + " solve\n" +
            std::to_string(begin + 8) + ".." + std::to_string(begin + 10) + " MPI_Send to 1\n";
  }
  text += "90.." + std::to_string(90 + last) + " MPI_Send to 1 " + taken + "\n";
  text += std::to_string(90 + last) + ".." + std::to_string(100 + last) + " solve\n";
  text += std::to_string(100 + last) + ".." + std::to_string(102 + last) + " MPI_Send to 1\nrank 1\n";
  for (int i = 0; i < 11; ++i)
    text += std::to_string(200 + i) + ".." + std::to_string(201 + i) + " MPI_Recv from 0\n";
  return parse_text(text);
}

constexpr std::uint32_t kCalls = 11;  // of rank 0

struct WithStalls {
  Trace trace;
  SyncPoints sync = match(trace);
  WaitStates states = detect(trace, sync, {});
  StalledCalls stalled{trace, states};
  Activities activities{trace};
  StalledCalls::Times stall() const { return stalled.sum(Location{}, 0, kCalls); }
};

TEST(StalledCalls, WhatIsKnownAndWhatIsNot) {
  const WithStalls known{ten_sends(42, "preempted 30")};
  EXPECT_EQ(known.stall().all, Duration(40));
  EXPECT_EQ(known.stall().taken, Duration(30));
  EXPECT_EQ(known.trace.call_path_name(known.stalled.taken_path()), "(processor taken away)");
  const WithStalls unknown{ten_sends(42, "")};
  EXPECT_EQ(unknown.stall().all, Duration(40));
  EXPECT_EQ(unknown.stall().taken, Duration::zero());
  EXPECT_EQ(unknown.stalled.taken_path(), kNoCallPath);
}

TEST(StalledCalls, AUsualTimeIsNoLoss) {
  const WithStalls all_of_it{ten_sends(42, "preempted 41")};
  EXPECT_EQ(all_of_it.stall().taken, Duration(40));
  const WithStalls hardly_longer{ten_sends(3, "preempted 1")};
  EXPECT_EQ(hardly_longer.stall().all, Duration(1));
  EXPECT_EQ(hardly_longer.stall().taken, Duration(1));
}

// Without others to compare with, what goes beyond the waiting in the call is known.
TEST(StalledCalls, LostWhileItWaits) {
  const auto taken = [](const std::string& lost) {
    const WithStalls found{parse_text("rank 0\n 0..10 solve\n 10..60 MPI_Barrier preempted " + lost +
                                      "\nrank 1\n 0..40 solve\n 40..42 MPI_Barrier\n")};
    return found.stall().taken;
  };
  EXPECT_EQ(taken("30"), Duration::zero());
  EXPECT_EQ(taken("45"), Duration(15));
}

TEST(StalledCalls, ProfilesKeepTheirSum) {
  const WithStalls found{ten_sends(42, "preempted 30")};
  const Profile before = profile(found.trace, found.activities),
                times = profile(found.trace, found.activities, found.stalled);
  double sum_before = 0, sum = 0, taken = 0;
  for (const ProfileEntry& entry : before.entries) sum_before += entry.nanoseconds;
  for (const ProfileEntry& entry : times.entries) {
    sum += entry.nanoseconds;
    if (entry.call_path != found.stalled.taken_path()) continue;
    taken += entry.nanoseconds;
    EXPECT_EQ(entry.visits, 1u);
  }
  EXPECT_EQ(sum, sum_before);
  EXPECT_EQ(taken, 30);
}

// From any instant to the last call: with the sums of marks and without, and as repairs add it up.
TEST(StalledCalls, IntervalsThatBeginInTheCallHaveItsEnd) {
  const WithStalls found{ten_sends(42, "preempted 30")};
  const ActivitySums sums(found.trace, found.activities, found.states, found.stalled);
  const Dependencies dependencies(found.trace, found.sync, found.states);
  const std::vector<CallPathId> causes{found.stalled.taken_path()};
  const CausePlaces places(found.trace, found.activities, found.stalled, dependencies, causes);
  const Timeline& timeline = found.trace.timeline(Location{});
  const OpRef last{Location{}, kCalls - 1};
  ASSERT_TRUE(places.has_sums(Location{}));
  for (int from = 0; from < 140; ++from) {
    const IntervalSide side = side_behind(timeline, at(from), last.op);
    IntervalTimes times(found.trace, found.activities, found.states, sums);
    times.set(last.location, side.start, side.from(), last.op);
    const Duration lost = std::clamp(Duration(132 - from), Duration(0), Duration(30)),
                   not_known = std::clamp(Duration(102 - from), Duration(0), Duration(10));
    EXPECT_EQ(times[found.activities.exact(causes[0])], lost) << from;
    EXPECT_EQ(times.stalled(), not_known) << from;
    std::vector<double> by_cause(1, 0);
    places.add_times(last, side, by_cause);
    EXPECT_EQ(by_cause[0], static_cast<double>(lost.count())) << from;
  }
  IntervalTimes whole(found.trace, found.activities, found.states, sums);
  whole.set(last.location, kNoOp, Time::min(), last.op);
  EXPECT_EQ(whole[found.activities.exact(causes[0])], Duration(30));
}

}  // namespace
}  // namespace waitdiag

// What is remembered of what waits asked for.
//
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include "analyzer/diagnosis/retiming/asked_calls.hpp"
#include "tests/unit/diagnosis/diagnosis_support.hpp"

namespace waitdiag {
namespace {

// Ranks have their own kinds of stretches, also where these consist of the same call path.
TEST(Asked, OfARankThatRanLittleItCoversOneThatRanMoreOfTheSameFunction) {
  const Trace trace = parse_text(R"(
    rank 0
      0..10 samples main/f:5
      10..101 MPI_Barrier
    rank 1
      0..20 samples main/f:10
      20..101 MPI_Barrier
    rank 2
      0..100 samples main/f:50
      100..101 MPI_Barrier)");
  const SyncPoints sync = match(trace);
  const WaitStates states = detect(trace, sync, {});
  const Activities activities(trace);
  const ActivitySums sums(trace, activities, states);
  const Dependencies dependencies(trace, sync, states);
  const Profile times = profile(trace, activities);
  std::vector<CallPathId> causes;
  for (std::uint32_t path = 0; path < trace.call_paths().size(); ++path)
    if (trace.call_path_name(CallPathId{path}) == "main/f") causes.push_back(CallPathId{path});
  ASSERT_EQ(causes.size(), 1u);
  const CausePlaces places(trace, activities, sums.stalled(), dependencies, causes);
  ASSERT_FALSE(places.has_all_sums());
  const UsualTimes usual(trace, states, dependencies.graph(), find_steps(trace), times, places);
  CauseComparison comparison({trace, activities, states, sums, OpeningCall::Completion}, places, usual);

  const auto set_victim = [&](std::uint32_t rank) {
    comparison.set_victim({Location{rank}, 0}, IntervalSide{});
  };
  const auto covers = [&](const Ask& ask) {
    return ask.covers(ask.begin, ask.after, ask.members, comparison.victim_ran(), comparison);
  };
  const auto asked = [&] {
    return Ask{.members = 3, .ran = comparison.victim_ran(), .sampled = comparison.victim_sampled().by_slot};
  };
  set_victim(0);
  const Ask of_short = asked();
  EXPECT_TRUE(covers(of_short));
  set_victim(1);
  EXPECT_TRUE(covers(of_short));
  const Ask of_long = asked();
  set_victim(0);
  EXPECT_FALSE(covers(of_long));
}

TEST(Asked, StretchesAreRememberedHoweverManyThereAre) {
  AskedStretches asked;
  const auto earlier = [](std::uint32_t location, std::size_t ran) {
    return Duration(location * 1000 + ran);
  };
  for (std::uint32_t location = 1; location < 50; ++location)
    for (std::size_t ran = 0; ran < 100; ++ran) asked.of(Location{location}, ran) = earlier(location, ran);
  for (std::uint32_t location = 1; location < 50; ++location)
    for (std::size_t ran = 0; ran < 100; ++ran)
      EXPECT_EQ(asked.of(Location{location}, ran), earlier(location, ran));
  asked.clear();
  EXPECT_EQ(asked.of(Location{7}, 7), Duration::zero());
}

}  // namespace
}  // namespace waitdiag

// What is remembered of what waits asked for.
//
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <random>
#include <set>
#include <vector>

#include "analyzer/diagnosis/repairs/asked_calls.hpp"
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

// Random asks: a call is passed over only if one that was looked at before settles it.
TEST(Asked, CallsArePassedOverOnlyIfTheyAreSettled) {
  constexpr std::uint32_t kCalls = 300, kWalk = 64;
  std::mt19937 random(7);
  const auto below = [&](std::uint32_t end) { return static_cast<std::uint32_t>(random() % end); };
  AskedCalls asked(1);
  std::vector<std::vector<AskedCall>> known(kCalls);
  std::size_t passed_over = 0, looked_at = 0;
  for (int i = 0; i < 3000; ++i) {
    const bool forwards = below(2) > 0;
    const AskedCall first{.call = below(kCalls),
                          .but = Location{below(3)},
                          .earlier = Duration(1 + below(40)),
                          .last = Time(Duration(below(40)))};
    const std::uint32_t count = std::min(kWalk, forwards ? kCalls - first.call : first.call + 1);
    const std::uint32_t walked = 1 + below(count);
    const auto is_behind = [&](Dependencies::Node call) {
      return (forwards ? call - first.call : first.call - call) >= walked;
    };
    std::set<Dependencies::Node> looked;
    const auto look = [&](const AskedCall& ask) {
      looked.insert(ask.call);
      if (ask.call % 5 == 0) return AskedCall::waits_for_nobody(ask.call);
      AskedCall settled = ask;
      if (below(4) > 0) settled.last = Time::max();
      if (below(4) > 0) settled.but = AskedCall::kNobody;
      known[ask.call].push_back(settled);
      return settled;
    };
    if (forwards)
      asked.ask_each<1>(first, count, is_behind, look);
    else
      asked.ask_each<-1>(first, count, is_behind, look);
    for (std::uint32_t n = 0; n < walked; ++n) {
      AskedCall ask = first;
      ask.call = forwards ? first.call + n : first.call - n;
      if (looked.contains(ask.call) || ask.call % 5 == 0) continue;
      ++passed_over;
      EXPECT_TRUE(std::ranges::any_of(known[ask.call], [&](const AskedCall& k) { return k.settles(ask); }));
    }
    looked_at += looked.size();
  }
  EXPECT_GT(passed_over, 5 * looked_at);
}

// Whoever asks the members of a join leaves himself and his victim out: the next one has to ask these only, and all
// of them again if he came much earlier, or asks those that came later, too.
TEST(Asked, OfTheMembersOfAJoinThoseThatWereLeftOut) {
  std::vector<Dependencies::Node> members(1000);
  std::iota(members.begin(), members.end(), 0);
  AskedJoin join;
  std::size_t count = members.size();
  const auto looked_at = [&](Duration earlier, int last, std::set<Dependencies::Node> left_out) {
    std::vector<Dependencies::Node> looked;
    const auto ask = [&](Dependencies::Node member) {
      looked.push_back(member);
      if (left_out.contains(member)) return LeftOut::Always;
      return member > static_cast<Dependencies::Node>(last) ? LeftOut::BehindLast : LeftOut::No;
    };
    const Time behind = join.ask_each(
        count, [&](std::size_t place) { return members[place]; }, earlier, Time(Duration(last)), ask);
    EXPECT_EQ(behind == Time::max(), last >= 999);
    return looked;
  };
  using Nodes = std::vector<Dependencies::Node>;
  EXPECT_EQ(looked_at(Duration(100), 499, {3, 5}), members);
  EXPECT_EQ(looked_at(Duration(110), 400, {3, 6}), Nodes({3, 5}));
  EXPECT_EQ(looked_at(Duration(90), 400, {7, 8}), Nodes({3}));
  EXPECT_EQ(looked_at(Duration(90), 400, {7, 8}), Nodes({}));
  EXPECT_EQ(looked_at(Duration(90), 999, {3, 5}), members);
  EXPECT_EQ(looked_at(Duration(200), 999, {3, 5}), members);
  EXPECT_EQ(looked_at(Duration(200), 999, {}), Nodes({3, 5}));
  EXPECT_EQ(looked_at(Duration(200), 999, {}), Nodes({}));
}

// Of a prefix operation each asks a number of first members.
TEST(Asked, OfTheFirstMembersThoseThatNobodyHasAsked) {
  AskedJoin join;
  const auto looked_at = [&](std::size_t count, Duration earlier) {
    std::vector<std::size_t> looked;
    const auto ask = [&](std::size_t place) {
      looked.push_back(place);
      return place == 2 ? LeftOut::Always : LeftOut::No;
    };
    join.ask_each(
        count, [](std::size_t place) { return place; }, earlier, Time(Duration(7)), ask);
    return looked;
  };
  using Places = std::vector<std::size_t>;
  EXPECT_EQ(looked_at(3, Duration(100)), Places({0, 1, 2}));
  EXPECT_EQ(looked_at(5, Duration(100)), Places({2, 3, 4}));
  EXPECT_EQ(looked_at(2, Duration(100)), Places({}));
  EXPECT_EQ(looked_at(2, Duration(300)), Places({0, 1})) << "much earlier, but of fewer";
  EXPECT_EQ(looked_at(5, Duration(100)), Places({2})) << "what was settled of all is kept";
  EXPECT_EQ(looked_at(5, Duration(300)), Places({0, 1, 2, 3, 4}));
}

}  // namespace
}  // namespace waitdiag

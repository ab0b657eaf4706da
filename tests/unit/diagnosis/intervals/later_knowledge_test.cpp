// What was entered later is learned block by block, and looked up once for all that learn it.
//
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <random>
#include <vector>

#include "analyzer/diagnosis/intervals/causal_knowledge.hpp"
#include "analyzer/diagnosis/intervals/latest_first.hpp"

namespace waitdiag {
namespace {

constexpr std::uint32_t kRanks = 200;

// Some operations of about a part of all ranks, the same for the same seed.
CausalKnowledge::Vector gathered(CausalKnowledge& knowledge, std::uint32_t seed, std::uint32_t one_in) {
  std::minstd_rand dice(seed);
  const CausalKnowledge::Vector vector = knowledge.blank();
  for (std::uint32_t rank = 1; rank < kRanks; ++rank)
    if (dice() % one_in == 0)
      knowledge.add(vector, Location(rank), 90 + static_cast<std::uint32_t>(dice() % 300));
  return vector;
}

// As if every operation was looked at: from lists and from vectors over all ranks, on ranks that know little so far,
// and on those that know something of all.
TEST(CausalKnowledge, LearnsWhatWasEnteredLater) {
  std::minstd_rand dice(1);
  CausalKnowledge by_blocks(kRanks), one_by_one(kRanks);
  for (auto* const knowledge : {&by_blocks, &one_by_one})
    knowledge->start(std::vector<std::uint32_t>(kRanks, 100));
  for (std::uint32_t op = 0; op < 200; ++op) {
    std::vector<Time> times;  // of the first ranks mostly long ago
    for (std::uint32_t rank = 0; rank < kRanks; ++rank)
      times.push_back(at(static_cast<std::int64_t>(dice() % (rank < 130 && op % 3 > 0 ? 50 : 100))));
    const auto entered = [&](OpRef operation) { return times[index(operation.location)]; };
    const auto seed = static_cast<std::uint32_t>(dice()), one_in = op % 7 == 0 ? 2u : 12u;
    const CausalKnowledge::Vector blocks = gathered(by_blocks, seed, one_in),
                                  single = gathered(one_by_one, seed, one_in);
    for (std::uint32_t rank = 0; rank < 6; ++rank) {
      if (rank == 5 && op < 190) continue;  // knows little for long
      const Location me{rank};
      const Time after = at(40 + static_cast<std::int64_t>(dice() % 60));
      by_blocks.learn_later(me, op, blocks, entered, after);
      one_by_one.learn(me, op, single, [&](OpRef operation) { return entered(operation) > after; });
      for (std::uint32_t other = 0; other < kRanks; ++other) {
        const auto left = by_blocks.about(me, Location(other)), right = one_by_one.about(me, Location(other));
        ASSERT_EQ(left.theirs, right.theirs) << rank << " of " << other << " after " << op;
        ASSERT_EQ(left.mine, right.mine) << rank << " of " << other << " after " << op;
      }
    }
    by_blocks.release(blocks);
    one_by_one.release(single);
  }
  EXPECT_EQ(by_blocks.forgotten(), one_by_one.forgotten());
}

// As if every operation was looked at, of what ranks tell each other: of whole blocks that are newer, of some that are
// not, and of ranks that know some of it better.
TEST(CausalKnowledge, LearnsFromOthersWhatWasEnteredLater) {
  std::minstd_rand dice(2);
  const auto any = [&](std::uint32_t count) { return static_cast<std::uint32_t>(dice()) % count; };
  const auto entered = [](OpRef call) {
    return at(10 * call.op + static_cast<std::int64_t>(index(call.location)) * 7 % 40);
  };
  CausalKnowledge by_blocks(kRanks), one_by_one(kRanks);
  for (std::uint32_t op = 0; op < 4000; ++op) {
    if (op % 1500 == 0)
      for (auto* const knowledge : {&by_blocks, &one_by_one})
        knowledge->start(std::vector<std::uint32_t>(kRanks, op));
    const bool ring = op % 200 < 100;
    const Location from{ring ? op % kRanks : 10 * any(20)}, me{ring ? (op + 1) % kRanks : 10 * any(20)};
    if (me == from) continue;
    const Time after = at(10 * static_cast<std::int64_t>(op) - any(ring ? 9000 : 300));
    const OpRef sent{from, op + 1};
    const CausalKnowledge::Vector blocks = by_blocks.share(from), single = one_by_one.share(from);
    by_blocks.learn_later(me, op + 1, blocks, entered, after);
    one_by_one.learn(me, op + 1, single, [&](OpRef call) { return entered(call) > after; });
    by_blocks.learn(me, op + 1, sent, {entered(sent), entered(sent)});
    one_by_one.learn(me, op + 1, sent);
    by_blocks.release(blocks);
    one_by_one.release(single);
    for (std::uint32_t other = 0; other < kRanks; ++other) {
      const auto left = by_blocks.about(me, Location(other)), right = one_by_one.about(me, Location(other));
      ASSERT_EQ(left.theirs, right.theirs) << other << " after " << op;
      ASSERT_EQ(left.mine, right.mine) << other << " after " << op;
    }
  }
}

// Of more at once than a location may keep, it learns what was entered last, and it counts that there was more.
TEST(CausalKnowledge, LearnsOfManyWhatWasEnteredLast) {
  constexpr std::size_t kMost = 64;
  CausalKnowledge knowledge(kRanks, kMost);
  knowledge.start(std::vector<std::uint32_t>(kRanks, 100));
  const CausalKnowledge::Vector vector = knowledge.blank();
  for (std::uint32_t rank = 1; rank < kRanks; ++rank) knowledge.add(vector, Location(rank), 100 + rank);
  const auto entered = [](OpRef call) { return at(call.op * 7 % kRanks); };
  knowledge.learn_later(Location{0}, 150, vector, entered, at(20));
  const Time last_rest = at(static_cast<std::int64_t>(kRanks - 1 - knowledge.kept_at_once()));
  for (std::uint32_t rank = 1; rank < kRanks; ++rank) {
    const bool is_kept = entered({Location(rank), 100 + rank}) > last_rest;
    EXPECT_EQ(knowledge.about(Location{0}, Location(rank)).theirs, is_kept ? 100 + rank : 100) << rank;
  }
  EXPECT_EQ(knowledge.forgotten(), kRanks - 1 - knowledge.kept_at_once());
}

// The same as looking at each, from the latest on.
TEST(LatestFirst, FindsThoseOfARangeThatWereEnteredLast) {
  std::minstd_rand dice(3);
  const auto any = [&](std::size_t count) { return static_cast<std::size_t>(dice()) % count; };
  std::vector<Time> enters;
  for (int i = 0; i < 100; ++i) enters.push_back(at(static_cast<std::int64_t>(any(60))));
  LatestFirst latest(enters);
  for (int i = 0; i < 500; ++i) {
    const std::size_t first = any(100), last = first + any(101 - first), most = 1 + any(20);
    const Time after = at(static_cast<std::int64_t>(any(60)));
    std::vector<std::uint32_t> expected;
    for (std::size_t place = first; place < last; ++place)
      if (enters[place] > after) expected.push_back(static_cast<std::uint32_t>(place));
    const bool more = expected.size() > most;
    std::ranges::stable_sort(expected, std::greater<>(), [&](std::uint32_t place) { return enters[place]; });
    if (more) expected.resize(most);
    std::ranges::sort(expected);
    EXPECT_EQ(latest.find(first, last, after, most), more);
    EXPECT_EQ(latest.found(), expected);
  }
}

// What is added after somebody has learned, others learn as well.
TEST(CausalKnowledge, LearnsWhatIsAddedMeanwhile) {
  CausalKnowledge knowledge(kRanks);
  knowledge.start(std::vector<std::uint32_t>(kRanks, 100));
  const auto entered = [](OpRef) { return at(1); };
  const CausalKnowledge::Vector vector = knowledge.blank();
  knowledge.add(vector, Location{7}, 200);
  for (const Location me : {Location{1}, Location{2}}) knowledge.learn_later(me, 150, vector, entered, at(0));
  knowledge.add(vector, Location{8}, 300);
  knowledge.learn_later(Location{3}, 150, vector, entered, at(0));
  EXPECT_EQ(knowledge.about(Location{3}, Location{8}).theirs, 300u);
}

}  // namespace
}  // namespace waitdiag

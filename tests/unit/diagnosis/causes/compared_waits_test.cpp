// Waits that are compared with what is remembered of others, and without.
//
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include "analyzer/diagnosis/causes/compared_waits.hpp"
#include "analyzer/diagnosis/intervals/wait_order.hpp"
#include "tests/unit/diagnosis/diagnosis_support.hpp"

namespace waitdiag {
namespace {

// A token goes round: whoever has it computes for 10 and more, then passes it on; all others wait.
std::string token_ring(int ranks, int rounds) {
  std::vector<std::string> lines(static_cast<std::size_t>(ranks));
  std::vector<int> now(lines.size(), 0);
  const auto span = [](int from, int to) { return std::to_string(from) + ".." + std::to_string(to) + " "; };
  int token = 0;
  for (int turn = 0; turn < ranks * rounds; ++turn) {
    const auto rank = static_cast<std::size_t>(turn % ranks);
    if (turn > 0)
      lines[rank] +=
          span(now[rank], token + 1) + "MPI_Recv from " + std::to_string((turn - 1) % ranks) + "\n";
    const int begin = turn > 0 ? token + 1 : 0, end = begin + 10 + turn % 3;
    lines[rank] += span(begin, end) + "work\n";
    if (turn + 1 < ranks * rounds)
      lines[rank] += span(end, end + 1) + "MPI_Send to " + std::to_string((turn + 1) % ranks) + "\n";
    now[rank] = end + 1;
    token = end;
  }
  std::string text;
  for (std::size_t rank = 0; rank < lines.size(); ++rank)
    text += "rank " + std::to_string(rank) + "\n" + lines[rank];
  return text;
}

std::string printed(const ComparedWaits& compared) {
  std::string text;
  std::size_t next = 0;
  for (const ComparedWait& wait : compared.waits) {
    const auto add = [&](auto number) { text += std::to_string(number) + " "; };
    for (const PassedOn::Stretch& stretch : {wait.cut, wait.whole}) {
      add(stretch.first);
      add(stretch.last);
      add(stretch.nanoseconds);
    }
    add(wait.index);
    add(wait.begin.time_since_epoch().count());
    add(wait.end.time_since_epoch().count());
    add(wait.cut_share);
    add(wait.victim_waited);
    add(wait.is_cut);
    add(wait.goes_on);
    for (; next < wait.excess_end; ++next) {
      add(index(compared.excess[next].call_path));
      add(compared.excess[next].nanoseconds);
      add(compared.excess[next].net);
    }
    text += "\n";
  }
  return text;
}

TEST(WaitComparer, ComparesAWaitThatManyIntervalsCutAsIfItWereTheFirst) {
  const Trace trace = parse_text(token_ring(5, 6));
  const SyncPoints sync = match(trace);
  const WaitStates states = detect(trace, sync, {});
  const auto intervals = causal_intervals(trace, sync, states);
  const Activities activities(trace);
  const ActivitySums sums(trace, activities, states);
  const PassedOn passed_on(states);
  const auto comparer = [&] {
    return WaitComparer(trace, states, intervals, activities, sums, passed_on, nullptr, false);
  };
  const std::vector<std::uint32_t> order = latest_first(trace, states, intervals);
  ComparedWaits together, alone;
  WaitComparer one = comparer();
  one.compare(order, together);
  std::string one_by_one;
  std::size_t cut = 0;
  for (const std::uint32_t wait : order) {
    WaitComparer(comparer()).compare(std::span(&wait, 1), alone);
    cut += alone.waits.size() - 1;
    one_by_one += printed(alone);
  }
  EXPECT_GT(cut, 2 * order.size());
  EXPECT_EQ(printed(together), one_by_one);
  ComparedWaits again;
  one.compare(order, again);  // all that can be remembered is
  EXPECT_EQ(printed(again), printed(together));
}

TEST(CutWaits, AreKnownForAllInstantsAtWhichBothSidesWaited) {
  const auto at = [](int nanoseconds) { return Time(Duration(nanoseconds)); };
  CutWaits known;
  ComparedWaits compared{.waits = {{.index = 7, .excess_end = 2}},
                         .excess = {{.nanoseconds = 1}, {.nanoseconds = 2}}};
  known.keep({.wait = 7, .after = at(10), .before = at(30), .begin = at(0), .end = at(40)}, compared, 1);
  EXPECT_FALSE(known.add(8, at(20), compared));
  EXPECT_FALSE(known.add(7, at(10), compared));
  EXPECT_FALSE(known.add(7, at(30), compared));
  ASSERT_TRUE(known.add(7, at(20), compared));
  ASSERT_EQ(compared.waits.size(), 2u);
  EXPECT_EQ(compared.waits[1].index, 7u);
  EXPECT_EQ(compared.waits[1].begin, at(20));
  EXPECT_EQ(compared.waits[1].cut_share, 0.5);  // (40 - 20) / (40 - 0)
  EXPECT_EQ(compared.waits[1].excess_end, 3u);
  EXPECT_EQ(compared.excess[2].nanoseconds, 2);
}

}  // namespace
}  // namespace waitdiag

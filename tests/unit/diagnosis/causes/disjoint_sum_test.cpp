// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/diagnosis/causes/disjoint_sum.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <vector>

namespace waitdiag {
namespace {

struct Interval {
  int begin, end;
  double value;
};

double sum_of(const std::vector<Interval>& latest_end_first) {
  DisjointSum sum;
  for (const Interval& i : latest_end_first) sum.add(Time(Duration(i.begin)), Time(Duration(i.end)), i.value);
  return sum.largest();
}

// Every subset.
double by_trial(const std::vector<Interval>& intervals) {
  double best = 0;
  for (unsigned subset = 0; subset < 1U << intervals.size(); ++subset) {
    std::vector<Interval> chosen;
    for (std::size_t i = 0; i < intervals.size(); ++i)
      if ((subset >> i & 1U) != 0) chosen.push_back(intervals[i]);
    double sum = 0;
    bool disjoint = true;
    for (std::size_t i = 0; i < chosen.size(); ++i) {
      sum += chosen[i].value;
      for (std::size_t j = 0; j < i; ++j)
        disjoint = disjoint && (chosen[i].end <= chosen[j].begin || chosen[j].end <= chosen[i].begin);
    }
    if (disjoint) best = std::max(best, sum);
  }
  return best;
}

TEST(DisjointSum, CountsWhatIsInCommonOnce) {
  EXPECT_EQ(sum_of({}), 0);
  EXPECT_EQ(sum_of({{0, 10, 3}, {0, 10, 5}, {0, 10, 4}}), 5);
  EXPECT_EQ(sum_of({{10, 20, 3}, {0, 10, 5}}), 8);
}

TEST(DisjointSum, TakesOneLongIntervalForManyShortOnesIfThatIsMore) {
  EXPECT_EQ(sum_of({{0, 30, 10}, {20, 30, 2}, {10, 20, 2}, {0, 10, 2}}), 10);
  EXPECT_EQ(sum_of({{0, 30, 5}, {20, 30, 2}, {10, 20, 2}, {0, 10, 2}}), 6);
}

TEST(DisjointSum, IsWhatAllSubsetsWouldGive) {
  std::mt19937 random(7);
  for (int round = 0; round < 300; ++round) {
    std::vector<Interval> intervals;
    for (unsigned i = 0; i < 1 + random() % 9; ++i) {
      const int begin = static_cast<int>(random() % 20);
      intervals.push_back({begin, begin + 1 + static_cast<int>(random() % 8), double(random() % 10)});
    }
    std::sort(intervals.begin(), intervals.end(),
              [](const Interval& a, const Interval& b) { return a.end > b.end; });
    EXPECT_EQ(sum_of(intervals), by_trial(intervals)) << "round " << round;
  }
}

}  // namespace
}  // namespace waitdiag

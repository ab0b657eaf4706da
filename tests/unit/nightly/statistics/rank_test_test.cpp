// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/nightly/statistics/rank_test.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <vector>

namespace waitdiag {
namespace {

using ::testing::DoubleNear;
using ::testing::ElementsAre;
using Values = std::vector<double>;

TEST(RankTest, CountsAllWaysToDealTheRanksOut) {
  const Values a = {1, 2, 3, 4, 5}, b = {6, 7, 8, 9, 10};
  EXPECT_DOUBLE_EQ(rank_test(a, b).two_sided, 2.0 / 252);
  EXPECT_DOUBLE_EQ(rank_test(a, b).greater, 1.0 / 252);
  EXPECT_DOUBLE_EQ(rank_test(a, b).less, 1);
  EXPECT_DOUBLE_EQ(rank_test(b, a).less, 1.0 / 252);
  // One exchange of neighbours: two of the 20 divisions are at least as uneven.
  EXPECT_DOUBLE_EQ(rank_test(Values{1, 2, 4}, Values{3, 5, 6}).greater, 2.0 / 20);
}

TEST(RankTest, SharesRanksAmongTies) {
  EXPECT_DOUBLE_EQ(rank_test(Values{1, 1, 1}, Values{1, 1, 1}).two_sided, 1);
  // Of the 6 ways to choose two of the ranks 1, 2.5, 2.5, 4 three have a sum of 6.5: twice 2.5 and 4.
  EXPECT_DOUBLE_EQ(rank_test(Values{1, 2}, Values{2, 3}).greater, 2.0 / 6);
}

TEST(RankTest, SaysNothingOfNothing) {
  EXPECT_EQ(rank_test(Values{}, Values{1}).two_sided, 1);
  EXPECT_TRUE(std::isnan(shift(Values{}, Values{1}).estimate));
}

TEST(RankTest, IsApproximatedForManyValues) {
  std::mt19937 random(7);
  std::normal_distribution<double> noise;
  Values a(20), b(20);
  for (double& value : a) value = noise(random);
  for (double& value : b) value = noise(random) + 0.7;
  const double counted = rank_test(a, b).two_sided;
  a.push_back(-100);  // 41 values in total: approximated
  EXPECT_LT(rank_test(a, b).two_sided, counted);
  EXPECT_NEAR(rank_test(a, b).two_sided / counted, 0.8, 0.2);
}

TEST(RankTest, SmallSamplesCanOnlySaySoMuch) {
  EXPECT_DOUBLE_EQ(smallest_p(3, 3), 0.1);
  EXPECT_NEAR(smallest_p(4, 4), 0.029, 0.0005);
  EXPECT_NEAR(smallest_p(5, 5), 0.0079, 0.00005);
  EXPECT_NEAR(smallest_p(6, 6), 0.0022, 0.00005);
  EXPECT_EQ(values_needed(0.05), 4U);
  EXPECT_EQ(values_needed(0.005), 6U);
}

TEST(Shift, IsTheMedianOfAllDifferences) {
  const Shift one = shift(Values{1, 2, 3}, Values{11, 12, 30});
  EXPECT_DOUBLE_EQ(one.estimate, 10);
  EXPECT_DOUBLE_EQ(one.low, 8);  // three and three cannot reach 95 %: the whole range
  EXPECT_DOUBLE_EQ(one.high, 29);
}

TEST(Shift, LiesInItsIntervalAsOftenAsPromised) {
  std::mt19937 random(11);
  std::normal_distribution<double> noise;
  int inside = 0;
  constexpr int kTries = 2000;
  for (int i = 0; i < kTries; ++i) {
    Values a(6), b(6);
    for (double& value : a) value = noise(random);
    for (double& value : b) value = noise(random) + 3;
    const Shift one = shift(a, b);
    inside += one.low <= 3 && 3 <= one.high;
  }
  // U <= 5 has the probability 0.0206 on each side: 95.9 % are promised, 0.45 % is one standard deviation.
  EXPECT_NEAR(inside / double{kTries}, 0.959, 0.015);
}

TEST(Adjusted, FollowsBenjaminiAndHochberg) {
  // Benjamini and Hochberg's example of 1995, the first four values and the last: 0.0001 * 15, 0.0004 * 15 /
  // 2, ...
  const Values p = {0.0298, 0.0001, 0.0004, 0.0019, 0.0095, 0.0201, 0.0278, 0.0344,
                    0.0459, 0.3240, 0.4262, 0.5719, 0.6528, 0.7590, 1.0000};
  const Values q = adjusted(p);
  EXPECT_DOUBLE_EQ(q[1], 0.0001 * 15);
  EXPECT_DOUBLE_EQ(q[2], 0.0004 * 15 / 2);
  EXPECT_DOUBLE_EQ(q[3], 0.0019 * 15 / 3);
  EXPECT_DOUBLE_EQ(q[4], 0.0095 * 15 / 4);
  EXPECT_DOUBLE_EQ(q[14], 1);
  EXPECT_THAT(adjusted(Values{0.04, 0.03}), ElementsAre(DoubleNear(0.04, 1e-12), DoubleNear(0.04, 1e-12)));
}

}  // namespace
}  // namespace waitdiag

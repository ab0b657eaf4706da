// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/nightly/statistics/change_points.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>
#include <vector>

#include "analyzer/nightly/statistics/median.hpp"

namespace waitdiag {
namespace {

using ::testing::SizeIs;
using Values = std::vector<double>;

Values nights(std::initializer_list<std::pair<int, double>> levels, double noise, unsigned seed) {
  std::mt19937 random(seed);
  std::normal_distribution<double> draw(0, 1);
  Values series;
  for (const auto& [count, level] : levels)
    for (int i = 0; i < count; ++i) series.push_back(level * (1 + noise * draw(random)));
  return series;
}

TEST(ChangePoints, AreTheFirstNightsOfNewLevels) {
  const auto points = change_points(nights({{20, 40}, {15, 44}, {25, 41}}, 0.01, 3), {.least_change = 0.02});
  ASSERT_THAT(points, SizeIs(2));
  EXPECT_EQ(points[0].index, 20U);
  EXPECT_NEAR(points[0].before, 40, 0.5);
  EXPECT_NEAR(points[0].after, 44, 0.5);
  EXPECT_LT(points[0].p, 1e-6);
  EXPECT_EQ(points[1].index, 35U);
}

TEST(ChangePoints, ASeriesWithoutNoiseIsDividedExactly) {
  const Values series = {1, 1, 1, 2, 2, 2};
  ASSERT_THAT(change_points(series), SizeIs(1));
  EXPECT_EQ(change_points(series)[0].index, 3U);
  EXPECT_THAT(change_points(Values{5, 5, 5, 5}), SizeIs(0));
}

TEST(ChangePoints, OneWildNightIsNoNewLevel) {
  Values series = nights({{30, 40}}, 0.01, 5);
  series[14] = 80;
  EXPECT_THAT(change_points(series), SizeIs(0));
}

TEST(ChangePoints, ATrifleIsLeftOut) {
  const Values series = nights({{30, 40}, {30, 40.4}}, 0.002, 5);
  EXPECT_THAT(change_points(series), SizeIs(1));
  EXPECT_THAT(change_points(series, {.least_change = 0.02}), SizeIs(0));
}

TEST(ChangePoints, AreRareInNoise) {
  int found = 0;
  for (unsigned seed = 0; seed < 100; ++seed) found += !change_points(nights({{50, 40}}, 0.02, seed)).empty();
  EXPECT_LE(found, 6);  // the largest of all divisions is taken, so more than one in a thousand
}

TEST(ChangePoints, TooFewNightsSayNothing) {
  EXPECT_THAT(change_points(Values{}), SizeIs(0));
  EXPECT_THAT(change_points(Values{1}), SizeIs(0));
  EXPECT_THAT(change_points(Values{1, 9, 9}), SizeIs(0));
}

TEST(WelchTest, AgreesWithAWorkedExample) {
  // t = -2.88736 with 27.88512 degrees of freedom; the tail integrated numerically.
  const Values a = {27.5, 21.0, 19.0, 23.6, 17.0, 17.9, 16.9, 20.1, 21.9, 22.6, 23.1, 19.6, 19.0, 21.7, 21.4};
  const Values b = {27.1, 22.0, 20.8, 23.4, 23.4, 23.5, 25.8, 22.0, 24.8, 20.2, 21.9, 22.1, 22.9, 30.4, 25.0};
  EXPECT_NEAR(welch_test(a, b), 0.0074247923, 1e-9);
  EXPECT_EQ(welch_test(a, a), 1);
}

TEST(Median, IsNotMovedByAWildValue) {
  EXPECT_DOUBLE_EQ(median({3, 1, 2}), 2);
  EXPECT_DOUBLE_EQ(median({4, 1, 2, 3}), 2.5);
  EXPECT_DOUBLE_EQ(median({1, 2, 1000}), 2);
  EXPECT_NEAR(robust_deviation({10, 11, 12, 13, 1000}), 1.4826, 1e-9);
  EXPECT_NEAR(robust_z(15, {10, 10, 10}, 0.5), 10, 1e-9);
}

}  // namespace
}  // namespace waitdiag

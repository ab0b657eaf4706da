// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/simulation/recorded_machine/least_squares.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

namespace waitdiag {
namespace {

// y = e^a + e^b x, measured exactly and 1 % off in turn; a third parameter has no influence.
LeastSquares line(double off) {
  return minimise(
      [off](const std::vector<double>& at) {
        std::vector<double> residuals;
        for (int x = 0; x < 10; ++x) {
          const double measured = (3 + 2 * x) * (1 + (x % 2 == 0 ? off : -off));
          residuals.push_back(std::log((std::exp(at[0]) + std::exp(at[1]) * x) / measured));
        }
        return residuals;
      },
      {{0, 0, 5}, {1e-6, 1e-6, 1e-6}}, {0, 0, 5}, 0.01, {30});
}

TEST(LeastSquares, FindsTheParameters) {
  const LeastSquares exact = line(0);
  EXPECT_NEAR(std::exp(exact.parameters[0]), 3, 1e-2);
  EXPECT_NEAR(std::exp(exact.parameters[1]), 2, 1e-2);
  EXPECT_NEAR(exact.cost, 0, 1e-4);
}

TEST(LeastSquares, SaysHowWellTheyAreKnown) {
  const LeastSquares noisy = line(0.01);
  EXPECT_NEAR(std::exp(noisy.parameters[0]), 3, 0.1);
  EXPECT_GT(noisy.errors[0], 0.002);
  EXPECT_LT(noisy.errors[0], 0.03);
}

TEST(LeastSquares, LeavesAloneWhatHasNoInfluence) {
  const LeastSquares found = line(0.01);
  EXPECT_NEAR(found.parameters[2], 5, 1e-9);
  EXPECT_GT(found.errors[2], 100);
}

// Only a sum is seen, twice; one of them is rounded.
TEST(LeastSquares, RoundingTellsNothingApart) {
  const LeastSquares found = minimise(
      [](const std::vector<double>& at) {
        const double sum = at[0] + 0.02 * at[1] - 7;
        return std::vector<double>{sum, sum + 1e-4 * std::floor(at[1] / 0.04)};
      },
      {{6.9, 5}, {1e-3, 1e-3}}, {6.9, 5}, 0.05, {30});
  EXPECT_GT(found.errors[1], 5);
}

// y = e^a + e^b x; how often it was asked for the residuals.
LeastSquares counted(double a, double b, int& asked, const LeastSquares& before, Effort effort = {30}) {
  return minimise(
      [&](const std::vector<double>& at) {
        ++asked;
        std::vector<double> residuals;
        for (int x = 0; x < 10; ++x)
          residuals.push_back(std::log((std::exp(at[0]) + std::exp(at[1]) * x) / (a + b * x)));
        return residuals;
      },
      {{0, 0}, {1e-6, 1e-6}}, before.parameters, 0.01, effort, before.slopes);
}

// Two differences, a few steps; none to be more exact than any model of a machine is.
TEST(LeastSquares, StopsWhereNoStepCanHelp) {
  int asked = 0;
  const LeastSquares found = counted(3, 2, asked, {.parameters = {0, 0}});
  EXPECT_NEAR(std::exp(found.parameters[1]), 2, 1e-2);
  EXPECT_LE(asked, 9);
}

TEST(LeastSquares, GoesNoFurtherThanIsWorthIt) {
  int asked = 0, less = 0;
  const double exact = counted(3, 2, asked, {.parameters = {0, 0}}).cost;
  const double about = counted(3, 2, less, {.parameters = {0, 0}}, {.steps = 30, .enough = 0.1}).cost;
  EXPECT_LT(less, asked);
  EXPECT_LT(about, 0.1);
  EXPECT_LT(exact, about);
}

TEST(LeastSquares, StartsFromSlopesThatAreKnown) {
  int asked = 0, again = 0;
  const LeastSquares found = counted(3, 2, asked, {.parameters = {0, 0}});
  const LeastSquares near = counted(3.1, 2.1, again, found);
  EXPECT_NEAR(std::exp(near.parameters[0]), 3.1, 1e-2);
  EXPECT_NEAR(std::exp(near.parameters[1]), 2.1, 1e-2);
  EXPECT_LE(again, 3);  // two without a step, one with the first
}

// The line 3 + 2 x, measured 1 % off in turn, by what changes `power` times as much with the parameters.
LeastSquares by_similar(double power, int& asked, bool exactly) {
  const auto by = [](const std::vector<double>& at, double changes) {
    std::vector<double> residuals;
    for (int x = 0; x < 10; ++x)
      residuals.push_back(changes * std::log((std::exp(at[0]) + std::exp(at[1]) * x) / (3 + 2 * x)) -
                          std::log(1 + (x % 2 == 0 ? 0.01 : -0.01)));
    return residuals;
  };
  const Residuals residuals = [&](const std::vector<double>& at) {
    ++asked;
    return by(at, 1);
  };
  const Residuals similar = [&](const std::vector<double>& at) { return by(at, power); };
  return minimise(residuals, similar, {{0, 0}, {1e-6, 1e-6}}, {0, 0}, 0.01, {30}, {}, exactly);
}

TEST(LeastSquares, ByWhatIsSimilarFewValuesAreAskedFor) {
  int asked = 0;
  const LeastSquares found = by_similar(0.9, asked, false);
  EXPECT_NEAR(std::exp(found.parameters[0]), 3, 0.1);
  EXPECT_NEAR(std::exp(found.parameters[1]), 2, 0.05);
  EXPECT_LE(asked, 5);
}

TEST(LeastSquares, WhatOnlyLooksSimilarDoesNotMislead) {
  int asked = 0;
  const LeastSquares found = by_similar(-1, asked, false);
  EXPECT_NEAR(std::exp(found.parameters[0]), 3, 0.1);
  EXPECT_NEAR(std::exp(found.parameters[1]), 2, 0.05);
}

TEST(LeastSquares, ErrorsAreExactWhereTheyShallBe) {
  int asked = 0;
  const double about = by_similar(0.8, asked, false).errors[1],
               exact = by_similar(0.8, asked, true).errors[1];
  EXPECT_NEAR(exact / about, 0.8, 0.02);
}

// The second parameter is the first one and two more, if nothing determines it.
TEST(LeastSquares, ValuesFollowThoseThatTheyAreLike) {
  const LeastSquares found =
      minimise([](const std::vector<double>& at) { return std::vector<double>{at[0] - 7}; },
               {.parameters = {1, 3}, .weights = {0.01, 0.01}, .of = {0, 0}}, {1, 3}, 0.01, {30});
  EXPECT_NEAR(found.parameters[0], 7, 0.01);
  EXPECT_NEAR(found.parameters[1], 9, 0.01);
}

// The first parameter is only seen where it is more than 1, as what computation hides.
TEST(LeastSquares, SaysWhatMayBeLess) {
  const Residuals residuals = [](const std::vector<double>& at) {
    return std::vector<double>{10 * std::max(0.0, at[0] - 1), at[1] - 2, at[1] - 2.001, 1e-3};
  };
  const LeastSquares found = minimise(residuals, {{2, 0}, {1e-3, 1e-3}}, {2, 0}, 0.1, {50});
  EXPECT_EQ(may_be_less(residuals, found, 0.5), std::vector<std::size_t>{0});
}

// As above, and elsewhere the second makes up for it.
TEST(LeastSquares, OthersMayMakeUpForLess) {
  const Residuals residuals = [](const std::vector<double>& at) {
    return std::vector<double>{10 * std::max(0.0, at[0] - 1), 0.02 * at[0] + at[1] - 2, 1e-3, 1e-3};
  };
  const LeastSquares found = minimise(residuals, {{2, 0}, {1e-3, 1e-3}}, {2, 0}, 0.1, {50});
  EXPECT_EQ(may_be_less(residuals, found, 0.5), std::vector<std::size_t>{0});
}

}  // namespace
}  // namespace waitdiag

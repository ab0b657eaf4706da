// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/scaling/rescaling/expected_error.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace waitdiag {
namespace {

RescalingReport::HeldOut held_out(double error, std::uint64_t from_runs) {
  RescalingReport::HeldOut held;
  held.error = error;
  held.from_runs = from_runs;
  return held;
}

TEST(HeldOutErrors, OfRunsThatSaySomethingOfTheLaws) {
  RescalingReport report;
  report.held_out_before = {held_out(-0.6, 2), held_out(0.1, 3)};
  report.held_out = held_out(-0.5, 4);
  const std::vector<double> errors = held_out_errors(report);
  ASSERT_EQ(errors.size(), 2u);
  EXPECT_NEAR(errors[0], std::log(1.1), 1e-12);
  EXPECT_NEAR(errors[1], std::log(2), 1e-12);
}

TEST(HeldOutErrors, OfTwoRunsWhereThereAreNoMore) {
  RescalingReport report;
  report.held_out_before = {held_out(1, 2)};
  report.held_out = held_out(1, 2);
  EXPECT_EQ(held_out_errors(report).size(), 2u);
}

TEST(HeldOutErrors, OfRunsThatGrowAsThePredictionDoes) {
  RescalingReport report;
  report.held_out_before = {held_out(0.2, 2), held_out(0.1, 2)};
  report.held_out = held_out(0, 3);
  EXPECT_EQ(held_out_errors(report).size(), 1u);
  report.held_out->grows_likewise = false;
  EXPECT_EQ(held_out_errors(report).size(), 3u);
  report.held_out_before.back().grows_likewise = false;
  EXPECT_EQ(held_out_errors(report).size(), 2u);
}

TEST(HeldOutErrors, OfARunBetweenOthersIsLargerBeyondThem) {
  RescalingReport report;
  report.sources = {{.name = "a"}, {.name = "b"}, {.name = "c"}};
  report.held_out = held_out(0.02, 2);
  report.held_out->run.name = "c";
  const double last = held_out_errors(report).back();
  report.held_out->run.name = "b";
  EXPECT_NEAR(held_out_errors(report).back(), 3 * last, 1e-12);
}

TEST(ExpectedError, HoldsTwoDeviationsOfWhatIsNotKnownOfTheMachineToEitherSide) {
  RescalingReport report;
  report.held_out = held_out(0.01, 3);
  const auto known = expected_error(report, 1, 0.5);
  EXPECT_EQ(known.shorter, known.longer);
  report.machine_deviation = {.shorter = 0.01, .longer = 0.1};
  const auto open = expected_error(report, 1, 0.5);
  const double laws = std::log(1.01), machine = known.longer - laws;
  EXPECT_NEAR(machine, 0.05 * 0.5, 1e-12);
  EXPECT_NEAR(open.shorter, known.shorter + 0.02, 1e-12);
  EXPECT_NEAR(open.longer, known.longer + 0.2, 1e-12);
}

TEST(ExpectedError, IsLargerWhereGroupsAreLargerThanInAnyRun) {
  RescalingReport report;
  report.held_out = held_out(0.01, 3);
  const double known = expected_error(report, 1, 0.5).longer;
  EXPECT_GT(expected_error(report, 1, 0.5, 1).longer, known + 0.02);
  EXPECT_EQ(expected_error(report, 1, 0, 1).longer, expected_error(report, 1, 0).longer);
}

TEST(ExpectedError, IsSmallerWhereItIsKnownWhatSizesCost) {
  RescalingReport report;
  report.held_out = held_out(0, 3);
  const double found = expected_error(report, 1, 0.5).longer;
  report.sizes_known = true;
  EXPECT_NEAR(expected_error(report, 1, 0.5).longer, found - 0.04 * 0.5, 1e-12);
}

TEST(ExpectedError, IsAskedWhatMessagesCostOnlyWhereThatMayMatter) {
  RescalingReport found, named;
  named.machine_named = true;
  EXPECT_TRUE(may_matter(found, 0.5, 0));
  EXPECT_FALSE(may_matter(found, 0.01, 0));
  EXPECT_TRUE(may_matter(named, 0.5, 1));
  EXPECT_FALSE(may_matter(named, 0.5, 0));
}

// What may only make the run longer adds to that side alone.
void expect_only_longer_with(double RescalingReport::*part, double longer) {
  RescalingReport report;
  report.held_out = held_out(0.01, 3);
  const auto without = expected_error(report, 1, 0.5);
  report.*part = longer;
  const auto with = expected_error(report, 1, 0.5);
  EXPECT_EQ(with.shorter, without.shorter);
  EXPECT_NEAR(with.longer, without.longer + longer, 1e-12);
}

TEST(ExpectedError, ReachesAsFarAsComputationMayHideMessages) {
  expect_only_longer_with(&RescalingReport::hidden, 0.7);
}

TEST(ExpectedError, HoldsAPortThatNoRunFills) {
  expect_only_longer_with(&RescalingReport::unseen_port, 0.3);
}

// Messages cost 20 % too much in each run: the more of the time they take, the farther off is the run.
TEST(ExpectedError, GrowsWithTheShareOfCallsWhereReplaysAreOff) {
  RescalingReport report;
  report.held_out = held_out(0, 3);
  report.replays = {{.error = std::expm1(0.02), .in_calls = 0.1},
                    {.error = std::expm1(0.04), .in_calls = 0.2}};
  const double as_recorded = expected_error(report, 1, 0, 0, 0.2).longer;
  EXPECT_NEAR(as_recorded, 1.25 * 0.04, 1e-9);
  EXPECT_NEAR(expected_error(report, 1, 0, 0, 0.6).longer, 3 * 0.04, 1e-9);
}

}  // namespace
}  // namespace waitdiag

// A balanced call path: of the run, or of each step.
//
// SPDX-License-Identifier: BSD-3-Clause
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "analyzer/formats/notation/notation.hpp"
#include "analyzer/simulation/prediction/predict.hpp"

namespace waitdiag {
namespace {

struct Balanced {
  std::int64_t end = 0;
  std::uint64_t steps = 0;  // that were balanced one by one
  bool of_run = false;
};

Balanced balanced(const std::string& text) {
  const Trace trace = parse_text(text);
  Scenario scenario{.machine = ideal_machine()};
  scenario.balance = {"solve"};
  const Predicted predicted = Predictor(trace).predict(scenario, false);
  Balanced result{.end = predicted.run.end.time_since_epoch().count()};
  for (const Approximation& one : predicted.approximations.all()) {
    if (one.id == "balanced_steps") result.steps = one.count;
    result.of_run = result.of_run || one.id == "balanced_run";
  }
  return result;
}

TEST(Balance, OfAnImbalanceThatMovesIsThatOfEachStep) {
  // 30 + 30 as recorded; the mean of the run, 40 on each rank, would change nothing.
  const Balanced result = balanced(
      "rank 0\n 0..30 solve\n 30..30 MPI_Barrier\n 30..40 solve\n 40..60 MPI_Barrier\n"
      "rank 1\n 0..10 solve\n 10..30 MPI_Barrier\n 30..60 solve\n 60..60 MPI_Barrier\n");
  EXPECT_EQ(result.end, 40);
  EXPECT_EQ(result.steps, 2u);
}

TEST(Balance, OfEachStepTakesTheRanksThatTakePart) {
  // Rank 1 has none of the second step.
  const Balanced result = balanced(
      "rank 0\n 0..10 solve\n 10..30 MPI_Barrier\n 30..40 solve\n 40..40 MPI_Barrier\n 40..70 solve\n 70..70 "
      "MPI_Barrier\n"
      "rank 1\n 0..30 solve\n 30..30 MPI_Barrier\n 30..40 MPI_Barrier\n 40..50 solve\n 50..70 MPI_Barrier\n");
  EXPECT_EQ(result.end, 20 + 10 + 20);
  EXPECT_EQ(result.steps, 3u);
}

TEST(Balance, OfARankThatIsAlwaysSlowIsThatOfTheRun) {
  const Balanced result = balanced(
      "rank 0\n 0..30 solve\n 30..30 MPI_Barrier\n 30..60 solve\n 60..60 MPI_Barrier\n"
      "rank 1\n 0..10 solve\n 10..30 MPI_Barrier\n 30..40 solve\n 40..60 MPI_Barrier\n");
  EXPECT_EQ(result.end, 40);
  EXPECT_EQ(result.steps, 0u);
  EXPECT_TRUE(result.of_run);
}

}  // namespace
}  // namespace waitdiag

// Predictions of small programs on an ideal machine: how long they run, and how sure that is.
//
// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/scaling/rescaling/predict_rescaled.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <deque>
#include <string>
#include <vector>

#include "tests/unit/scaling/rescaling/rescaled_programs.hpp"

namespace waitdiag {
namespace {

RescaledPrediction predicted(const test::SmallProgram& step, const std::vector<int>& sizes, int target) {
  std::deque<Trace> traces;
  std::vector<SizedRun> runs;
  for (const int ranks : sizes) {
    traces.push_back(run_of(test::each_step(step), ranks));
    runs.push_back({{&traces.back(), "run-" + std::to_string(ranks)}, {.ranks = ranks}});
  }
  return predict_rescaled(
      {.runs = runs, .target = {.ranks = target}, .scenario = {.machine = ideal_machine()}});
}

// Rank 0 works on what it gets from all others, while rank 1 is late.
void collect_results(test::RankOfProgram& r) {
  if (r.rank == 1) r.compute(1'000'000);
  if (r.rank > 0) r.send(0, 64);
  for (int i = 2; r.rank == 0 && i <= r.ranks; ++i) {
    r.receive(i % r.ranks + i / r.ranks, 64, 7, true);
    r.compute(100'000);
  }
  r.allreduce();
}

TEST(PredictRescaled, ReceivesFromAnySourceGetWhatComesFirst) {
  const RescaledPrediction prediction = predicted(collect_results, {4, 6, 8}, 16);
  // In the order of ranks, all of it would come after rank 1.
  constexpr double kStep = 15 * 100e-6, kSteps = 4;
  EXPECT_NEAR(prediction.report.predicted.runtime_s, kSteps * kStep, 0.02 * kSteps * kStep);
}

// Rank 0 sorts as many samples of each rank as there are ranks.
TEST(PredictRescaled, WorkMayGrowWithTheSquareOfTheRanks) {
  const auto step = [](test::RankOfProgram& r) {
    r.allreduce();
    if (r.rank == 0) r.compute(1000 * r.ranks * r.ranks);
    r.bcast(0, 64);
  };
  constexpr double kSteps = 4, kSorted = 1e-6 * 128 * 128;
  const RescaledPrediction prediction = predicted(step, {4, 8, 16, 32}, 128);
  EXPECT_NEAR(prediction.report.predicted.runtime_s, kSteps * kSorted, 0.02 * kSteps * kSorted);
}

// Of a square grid of ranks, or one with twice as many columns as rows, the rows in the middle take longer.
std::int64_t work_in_row(int rank, int ranks) {
  int rows = 1;
  while (4 * rows * rows <= ranks) rows *= 2;
  const double at = (rank / (ranks / rows) + 0.5) / rows - 0.5;
  return static_cast<std::int64_t>(8e6 / ranks * (1 + 1 / (1 + 40 * at * at)));
}

// A tree with four branches: with four ranks nobody has a fourth child.
TEST(PredictRescaled, RunsThatAreTooSmallToShowAllCallsAreLeftOut) {
  const auto step = [](test::RankOfProgram& r) {
    for (int child = 4 * r.rank + 1; child <= 4 * r.rank + 4 && child < r.ranks; ++child) {
      r.receive(child, 1000);
      r.compute(10'000);
    }
    if (r.rank > 0) r.send((r.rank - 1) / 4, 1000);
    r.bcast(0, 64);
  };
  const PredictionReport report = predicted(step, {4, 8, 16, 32}, 64).report;
  EXPECT_EQ(report.rescaling->sources.size(), 3u);
  const auto note =
      std::ranges::find(report.approximations, "runs_too_small", &PredictionReport::Approximation::id);
  ASSERT_NE(note, report.approximations.end());
  EXPECT_EQ(note->count, 1u);
}

TEST(PredictRescaled, LoadsThatMoreRowsShowInOtherWaysWidenTheRange) {
  const auto step = [](test::RankOfProgram& r) {
    int rows = 1;
    while (4 * rows * rows <= r.ranks) rows *= 2;
    const int columns = r.ranks / rows;
    r.compute(work_in_row(r.rank, r.ranks));
    r.sendrecv((r.rank + columns) % r.ranks, (r.rank + r.ranks - columns) % r.ranks, 512);
    r.sendrecv((r.rank + r.ranks - columns) % r.ranks, (r.rank + columns) % r.ranks, 512);
  };
  // From 16 to 32 ranks columns are added, from 32 to 64 rows, and to 256 both.
  for (const int ranks : {64, 256}) {
    const RescaledPrediction prediction = predicted(step, {4, 8, 16, 32}, ranks);
    const RescalingReport& report = *prediction.report.rescaling;
    EXPECT_FALSE(report.held_out->grows_likewise);
    std::int64_t most = 0;
    for (int rank = 0; rank < ranks; ++rank) most = std::max(most, work_in_row(rank, ranks));
    EXPECT_GT(report.range.high_s, 4e-9 * static_cast<double>(most)) << ranks;
    EXPECT_LT(prediction.report.predicted.runtime_s, 4e-9 * static_cast<double>(most)) << ranks;
  }
}

}  // namespace
}  // namespace waitdiag

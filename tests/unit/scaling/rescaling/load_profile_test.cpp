// Uneven loads of runs of other sizes.
//
// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <deque>
#include <functional>
#include <random>
#include <string>

#include "analyzer/formats/notation/notation.hpp"
#include "analyzer/scaling/rescaling/predict_rescaled.hpp"
#include "tests/unit/scaling/rescaling/small_programs.hpp"

namespace waitdiag::test {
namespace {

// Nanoseconds that a rank computes in each of a few steps.
using Load = std::function<double(int rank, int ranks)>;

Trace run_with(const Load& load, int ranks) {
  constexpr int kSteps = 5, kStep = 2'000'000;
  std::string text;
  for (int rank = 0; rank < ranks; ++rank) {
    text += fmt::format("rank {}\n", rank);
    for (int step = 0; step < kSteps; ++step) {
      const long begin = long{step} * kStep, end = begin + std::lround(load(rank, ranks));
      text += fmt::format("{}..{} solve\n{}..{} MPI_Allreduce bytes 8\n", begin, end, end, begin + kStep);
    }
  }
  return parse_text(text);
}

PredictionReport predicted(const std::function<Trace(int ranks)>& run, int target) {
  std::deque<Trace> traces;
  RescaleRequest request{.target = {.ranks = target}, .scenario = {.machine = ideal_machine()}};
  for (const int ranks : {4, 8, 16, 32}) {
    traces.push_back(run(ranks));
    request.runs.push_back({{&traces.back(), "run"}, {.ranks = ranks}});
  }
  return predict_rescaled(request).report;
}

PredictionReport predicted(const Load& load, int target) {
  return predicted([&](int ranks) { return run_with(load, ranks); }, target);
}

// Largest relative error of a rank's computation with 64 ranks, from runs with fewer.
double largest_error(const Load& load) {
  constexpr int kTarget = 64;
  const PredictionReport prediction = predicted(load, kTarget);
  double largest = 0;
  for (int rank = 0; rank < kTarget; ++rank) {
    const double truth = 5 * load(rank, kTarget) * 1e-9;
    const double predicted = prediction.by_rank[static_cast<std::size_t>(rank)].computation_s;
    largest = std::max(largest, std::abs(predicted / truth - 1));
  }
  return largest;
}

constexpr double kRounding = 1e-3;

// Of a grid of a power of two ranks.
int columns_of(int ranks) {
  return 1 << (static_cast<int>(std::lround(std::log2(ranks))) + 1) / 2;
}

TEST(LoadProfile, RisesAlongTheRanks) {
  EXPECT_LT(largest_error([](int rank, int ranks) { return 2e6 / ranks * (0.75 + 0.5 * rank / ranks); }),
            kRounding);
}

TEST(LoadProfile, OfWhatLiesBeforeARanksMiddle) {
  EXPECT_LT(largest_error([](int rank, int ranks) { return 3e6 / ranks * (rank + 0.5) / ranks; }), kRounding);
}

// Rows of a triangular matrix, some columns of which every rank has.
TEST(LoadProfile, FallsAlongOneDimensionOfAGrid) {
  const auto load = [](int rank, int ranks) {
    const int columns = columns_of(ranks), rows = ranks / columns;
    return 1e6 / ranks * (1.5 - (rank / columns + 0.5) / rows);
  };
  EXPECT_LT(largest_error(load), kRounding);
}

// Ranks that differ alike in all runs; those that no run has do so as others do.
TEST(LoadProfile, EachRankByItself) {
  const auto own = [](int rank) { return 0.9 + 0.05 * ((rank * 7 + rank / 3) % 5); };
  const PredictionReport prediction =
      predicted([&](int rank, int ranks) { return 2e6 / ranks * own(rank); }, 64);
  for (std::size_t rank = 0; rank < 16; ++rank)
    EXPECT_NEAR(prediction.by_rank[rank].computation_s, 5e-9 * 2e6 / 64 * own(static_cast<int>(rank)), 1e-8)
        << rank;
  EXPECT_NEAR(prediction.rescaling->held_out->error, 0, 0.02);
}

// Rows and columns that do not divide evenly: the ranks that have one more are others in each run, and the mean is the
// same.
TEST(LoadProfile, IsNotOfPartsThatDoNotDivideEvenly) {
  constexpr int kLines = 100;
  const auto part = [](int at, int parts) { return kLines / parts + (at < kLines % parts ? 1 : 0); };
  const auto load = [&](int rank, int ranks) {
    const int columns = columns_of(ranks), rows = ranks / columns;
    return 100.0 * part(rank / columns, rows) * part(rank % columns, columns);
  };
  double sum = 0;
  for (const PredictionReport::ByRank& rank : predicted(load, 64).by_rank) sum += rank.computation_s;
  constexpr double kTruth = 5 * 100e-9 * kLines * kLines;
  EXPECT_NEAR(sum, kTruth, 0.02 * kTruth);
}

// Data goes down each column of a grid; ranks differ by chance in what they compute in between. The first and the last
// row are classes of few ranks, whose means would follow any law.
SmallProgram pass_down(std::uint32_t seed) {
  return [seed](RankOfProgram& r) {
    int rows = 1;
    while (4 * rows * rows <= r.ranks) rows *= 2;
    const int columns = r.ranks / rows, row = r.rank / columns, column = r.rank % columns;
    std::mt19937 random(seed + 1000 * static_cast<std::uint32_t>(r.rank));
    const double own = static_cast<double>(random()) / 4294967296.0;
    for (int step = 0; step < 3; ++step) {
      r.sendrecv(r.rank - column + (column + 1) % columns, r.rank - column + (column + columns - 1) % columns,
                 64);
      if (row > 0) r.receive(r.rank - columns, 512);
      r.compute(std::llround(1e6 / rows * (0.9 + 0.2 * own)));
      if (row + 1 < rows) r.send(r.rank + columns, 512);
    }
  };
}

TEST(LoadProfile, ClassesOfRanksThatDifferByChanceFollowTheFactorOfAll) {
  for (std::uint32_t seed = 1; seed <= 8; ++seed) {
    const PredictionReport prediction =
        predicted([seed](int ranks) { return run_of(pass_down(seed), ranks); }, 64);
    for (const PredictionReport::ByRank& rank : prediction.by_rank)
      EXPECT_NEAR(rank.computation_s, 3e-3 / 8, 0.2 * 3e-3 / 8) << rank.rank << " of seed " << seed;
  }
}

// There is no factor that all follow.
TEST(LoadProfile, OfOneRunOnlyIsKeptWhereRanksDifferByChance) {
  const auto load = [](int rank, int ranks) {
    return ranks == 16 ? 1e5 * (1 + (rank * 7 + rank / 3) % 5) : 0;
  };
  const PredictionReport prediction = predicted(load, 64);
  ASSERT_EQ(prediction.by_rank.size(), 64u);
  EXPECT_TRUE(prediction.rescaling->held_out);
}

}  // namespace
}  // namespace waitdiag::test

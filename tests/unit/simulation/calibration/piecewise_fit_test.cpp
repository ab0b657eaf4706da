// Segmented regression: tables with known bounds, and the table published with the DVM model.
//
// SPDX-License-Identifier: BSD-3-Clause
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <random>

#include "analyzer/simulation/calibration/piecewise_fit.hpp"

namespace waitdiag {
namespace {

using testing::ElementsAre;

// MVS-15K as published with the DVM predictor (Klinov): microseconds by size in KB.
struct Published {
  std::vector<TimedSize> measured;
  LinearPiece model;
};
const Published kInsideANode = {
    {{500, 2000}, {1500, 4000}, {5000, 5000}, {30000, 30000}, {40000, 40000}, {100000, 93000}}, {0, 1000, 1}};
const Published kBetweenNodes = {
    {{500, 7000}, {1500, 7500}, {5000, 20500}, {30000, 122000}, {40000, 208000}, {100000, 458000}},
    {0, 7000, 4}};

double time_of(const std::vector<LinearPiece>& pieces, std::uint64_t bytes) {
  const auto behind = std::ranges::upper_bound(pieces, bytes, {}, &LinearPiece::from);
  return std::prev(behind)->at(bytes);
}

double error(const Published& table, std::size_t i) {
  return table.model.at(table.measured[i].bytes) / table.measured[i].ns - 1;
}

TEST(DvmModel, HasTheErrorsOfItsOwnTable) {
  EXPECT_NEAR(error(kInsideANode, 1), -0.37, 0.01);
  EXPECT_NEAR(error(kBetweenNodes, 1), 0.73, 0.01);
  for (const Published* table : {&kInsideANode, &kBetweenNodes}) {
    for (std::size_t i = 0; i < table->measured.size(); ++i) {
      EXPECT_GE(error(*table, i), -0.376);
      EXPECT_LE(error(*table, i), 0.734);
    }
  }
}

// Six sizes make at most two pieces: -38 % becomes 27 %, and +73 % becomes 33 %.
TEST(DvmModel, IsBeatenByIntervalsOfSizes) {
  for (const Published* table : {&kInsideANode, &kBetweenNodes}) {
    const std::vector<LinearPiece> pieces = fit_pieces(table->measured);
    const FitError theirs =
        error_of(table->measured, [&](std::uint64_t bytes) { return table->model.at(bytes); });
    const FitError ours =
        error_of(table->measured, [&](std::uint64_t bytes) { return time_of(pieces, bytes); });
    std::printf("worst %+.1f %% (model %+.1f %%), typical %.1f %% (model %.1f %%)\n", 100 * ours.worst,
                100 * theirs.worst, 100 * ours.typical, 100 * theirs.typical);
    EXPECT_LT(std::abs(ours.worst), 0.75 * std::abs(theirs.worst));
    EXPECT_LT(ours.typical, 0.65 * theirs.typical);
  }
}

TEST(Pieces, OneLineStaysOneLine) {
  std::vector<TimedSize> samples;
  for (const std::uint64_t bytes : {0, 100, 1000, 5000, 20000, 100000})
    samples.push_back({bytes, 1000 + 2 * static_cast<double>(bytes)});
  const auto pieces = fit_pieces(samples);
  ASSERT_EQ(pieces.size(), 1u);
  EXPECT_NEAR(pieces[0].fixed_ns, 1000, 1e-6);
  EXPECT_NEAR(pieces[0].ns_per_byte, 2, 1e-9);
}

TEST(Pieces, NeverHaveANegativePart) {
  const auto falling = fit_pieces(std::vector<TimedSize>{{0, 100}, {1000, 90}, {2000, 80}});
  EXPECT_EQ(falling.at(0).ns_per_byte, 0);
  const auto steep = fit_pieces(std::vector<TimedSize>{{1000, 10}, {2000, 1000}, {3000, 2000}});
  EXPECT_EQ(steep.at(0).fixed_ns, 0);
  EXPECT_TRUE(fit_pieces({}).empty());
  EXPECT_EQ(fit_pieces(std::vector<TimedSize>{{8, 100}}).at(0).at(8), 100);
}

// Three protocols, with jumps where they change.
double three_protocols(std::uint64_t bytes) {
  const auto size = static_cast<double>(bytes);
  if (bytes < 1000) return 800 + 0.9 * size;
  if (bytes < 65536) return 1500 + 0.35 * size;
  return 9000 + 0.25 * size;
}

std::vector<TimedSize> sampled(double noise) {
  std::mt19937 random(7);
  std::normal_distribution<double> factor(1, noise);
  std::vector<TimedSize> samples = {{0, three_protocols(0) * factor(random), noise}};
  for (double size = 16; size < 4.3e6; size *= 1.2) {
    const auto bytes = static_cast<std::uint64_t>(size);
    samples.push_back({bytes, three_protocols(bytes) * factor(random), noise});
  }
  return samples;
}

TEST(Pieces, AreFoundWhereTheProtocolChanges) {
  std::vector<TimedSize> samples = sampled(0);
  for (int round = 0; round < 8; ++round) {
    for (const std::uint64_t bytes : sizes_between(fit_pieces(samples), samples))
      samples.push_back({bytes, three_protocols(bytes)});
    std::ranges::sort(samples, {}, &TimedSize::bytes);
  }
  const auto pieces = fit_pieces(samples);
  ASSERT_EQ(pieces.size(), 3u);
  EXPECT_NEAR(static_cast<double>(pieces[1].from), 1000, 20);
  EXPECT_NEAR(static_cast<double>(pieces[2].from), 65536, 700);
  EXPECT_NEAR(pieces[2].fixed_ns, 9000, 1);
  EXPECT_THAT(sizes_between(pieces, samples), ElementsAre());
}

TEST(Pieces, TellSizesThatWereNotMeasuredWithin10PercentInNoise) {
  const auto pieces = fit_pieces(sampled(0.03));
  EXPECT_LE(pieces.size(), 5u);
  for (double size = 20; size < 4e6; size *= 1.13) {
    const auto bytes = static_cast<std::uint64_t>(size);
    const bool at_a_bound = (size > 800 && size < 1250) || (size > 52000 && size < 82000);  // within a step
    if (!at_a_bound) {
      EXPECT_NEAR(time_of(pieces, bytes) / three_protocols(bytes), 1, 0.1) << bytes;
    }
  }
}

}  // namespace
}  // namespace waitdiag

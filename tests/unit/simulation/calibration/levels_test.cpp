// Nodes, chips and cores from latencies and host names.
//
// SPDX-License-Identifier: BSD-3-Clause
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

#include "analyzer/simulation/calibration/levels.hpp"

namespace waitdiag {
namespace {

using testing::ElementsAre;

// Ranks fill chips of `cores`, these nodes of `chips`.
PairLatencies three_levels(std::size_t ranks, std::size_t chips, std::size_t cores, double noise = 0) {
  std::mt19937 random(3);
  std::uniform_real_distribution<double> factor(1, 1 + noise);
  PairLatencies latencies(ranks);
  for (std::size_t a = 0; a < ranks; ++a) {
    for (std::size_t b = 0; b < a; ++b) {
      const bool chip = a / cores == b / cores, node = a / (cores * chips) == b / (cores * chips);
      latencies.set(a, b, (chip ? 400 : node ? 900 : 5000) * factor(random));
    }
  }
  return latencies;
}

std::vector<std::string> hosts(std::size_t ranks, std::size_t each) {
  std::vector<std::string> names;
  for (std::size_t rank = 0; rank < ranks; ++rank) names.push_back("host" + std::to_string(rank / each));
  return names;
}

std::string shape(const std::vector<FoundLevel>& levels) {
  std::string text;
  for (const FoundLevel& level : levels) text += level.name + " " + std::to_string(level.units) + "; ";
  return text;
}

TEST(Levels, AreFoundInLatencies) {
  const auto levels = find_levels(three_levels(24, 2, 4, 0.1), hosts(24, 8));
  EXPECT_EQ(shape(levels), "node 3; chip 2; core 4; ");
  EXPECT_EQ(level_between(levels, 0, 8), 0u);
  EXPECT_EQ(level_between(levels, 0, 4), 1u);
  EXPECT_EQ(level_between(levels, 0, 1), 2u);
}

TEST(Levels, AreFoundWithoutHelpOfHostNames) {
  EXPECT_EQ(shape(find_levels(three_levels(16, 2, 2), hosts(16, 1))), "site 4; switch 2; node 2; ");
  EXPECT_EQ(shape(find_levels(three_levels(16, 2, 2), hosts(16, 16))), "socket 4; chip 2; core 2; ");
}

TEST(Levels, HostsAreNodesThoughTheyAreNear) {
  EXPECT_EQ(shape(find_levels(three_levels(4, 1, 4), hosts(4, 2))), "node 2; core 2; ");
}

TEST(Levels, TheLastNodeMayHaveFewerRanks) {
  EXPECT_EQ(shape(find_levels(three_levels(10, 1, 4), hosts(10, 10))), "chip 3; core 4; ");
}

TEST(Levels, DisturbedPairsAreNoLevel) {
  PairLatencies latencies = three_levels(8, 1, 8);
  latencies.set(2, 5, 4000);
  latencies.set(3, 6, 100);
  EXPECT_EQ(shape(find_levels(latencies, hosts(8, 8))), "core 8; ");
}

TEST(Levels, OneRankHasNone) {
  EXPECT_TRUE(find_levels(PairLatencies(1), hosts(1, 1)).empty());
}

}  // namespace
}  // namespace waitdiag

// Small maps, and which rank gets which cells.
//
// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/scaling/balance/decomposition.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <numeric>
#include <set>

#include "analyzer/scaling/balance/balance_model.hpp"
#include "analyzer/scaling/balance/map_picture.hpp"
#include "analyzer/trace/model/trace_error.hpp"
#include "tests/support/places.hpp"

namespace waitdiag {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::vector<double> divide(const LoadMap& map, Decomposition decomposition) {
  return loads_of(map, completed(decomposition, map));
}

template <typename Work>
std::string complaint_of(Work work) {
  try {
    work();
  } catch (const TraceError& error) {
    return error.what();
  }
  return "";
}

TEST(LoadFiles, ReadsOneLoadPerLine) {
  EXPECT_THAT(parse_loads("# ranks\n1\n 2.5 # second\n\n3e1\n", "f"), ElementsAre(1, 2.5, 30));
  EXPECT_THAT(complaint_of([] { parse_loads("1\n-2\n", "f"); }),
              HasSubstr("f, line 2: the load -2 is negative"));
  EXPECT_THAT(complaint_of([] { parse_loads("1\nx\n", "f"); }),
              HasSubstr("f, line 2: a load is a number, not 'x'"));
  EXPECT_THAT(complaint_of([] { parse_loads("1 2\n", "f"); }), HasSubstr("--decomposition"));
  EXPECT_THAT(complaint_of([] { parse_loads("# none\n", "f"); }), HasSubstr("holds no load"));
}

TEST(LoadFiles, ReadsMapsOfNumbersAndPictures) {
  const LoadMap numbers = parse_load_map("1,2,0\n3 4 5\n", "f");
  EXPECT_EQ(numbers.width, 3u);
  EXPECT_EQ(numbers.height, 2u);
  EXPECT_EQ(numbers.at(1, 1), 4);
  EXPECT_EQ(numbers.cells_with_load(), 5u);
  EXPECT_THAT(parse_load_map("~.\n.~\n", "f").load, ElementsAre(1, 0, 0, 1));
  EXPECT_THAT(complaint_of([] { parse_load_map("1 2\n1\n", "f"); }),
              HasSubstr("line 2: this row has 1 cells"));
  EXPECT_THAT(complaint_of([] { parse_load_map("", "f"); }), HasSubstr("holds no grid"));
}

// Four columns of loads 1, 2, 3, 4 in two rows.
TEST(Decompositions, DivideRectangles) {
  const LoadMap map = parse_load_map("1 2 3 4\n1 2 3 4\n", "f");
  EXPECT_THAT(divide(map, {.ranks = 4, .columns = 2, .rows = 2}), ElementsAre(3, 7, 3, 7));
  EXPECT_THAT(divide(map, {.ranks = 2}), ElementsAre(6, 14));
  EXPECT_THAT(divide(map, {.distribution = Distribution::BlockCyclic,
                           .ranks = 2,
                           .columns = 2,
                           .rows = 1,
                           .block_width = 1,
                           .block_height = 1}),
              ElementsAre(8, 12));
  EXPECT_THAT(complaint_of([&] { divide(map, {.ranks = 3, .columns = 2, .rows = 2}); }),
              HasSubstr("has not 3 of them"));
  EXPECT_THAT(complaint_of([&] { divide(map, {.ranks = 5, .columns = 5, .rows = 1}); }),
              HasSubstr("too many"));
}

TEST(Decompositions, BalancedLeavesLandOut) {
  const LoadMap map = parse_load_map("~~..\n~~..\n", "f");
  const Decomposition balanced{
      .distribution = Distribution::Balanced, .ranks = 2, .block_width = 1, .block_height = 1};
  EXPECT_THAT(divide(map, balanced), ElementsAre(2, 2));
  EXPECT_THAT(divide(map, {.ranks = 2}), ElementsAre(4, 0));
  Decomposition many = balanced;
  many.ranks = 5;
  EXPECT_THAT(complaint_of([&] { divide(map, many); }), HasSubstr("only 4 blocks"));
}

TEST(Decompositions, HilbertNeighboursAreNeighbours) {
  std::vector<std::pair<std::uint64_t, std::pair<int, int>>> cells;
  for (int y = 0; y < 8; ++y)
    for (int x = 0; x < 8; ++x) cells.push_back({hilbert_place(3, x, y), {x, y}});
  std::sort(cells.begin(), cells.end());
  for (std::size_t i = 0; i < cells.size(); ++i) {
    EXPECT_EQ(cells[i].first, i);
    if (i == 0) continue;
    const auto [ax, ay] = cells[i - 1].second;
    const auto [bx, by] = cells[i].second;
    EXPECT_EQ(std::abs(ax - bx) + std::abs(ay - by), 1);
  }
}

// The best of all possible cuts.
double best_cut(const std::vector<double>& weights, std::size_t begin, std::size_t parts) {
  if (parts == 1)
    return std::accumulate(weights.begin() + static_cast<std::ptrdiff_t>(begin), weights.end(), 0.0);
  double best = HUGE_VAL, sum = 0;
  for (std::size_t end = begin; end + parts - 1 < weights.size(); ++end) {
    sum += weights[end];
    best = std::min(best, std::max(sum, best_cut(weights, end + 1, parts - 1)));
  }
  return best;
}

TEST(Decompositions, CutsAreAsEvenAsTheyCanBe) {
  std::uint32_t state = 1;
  for (int round = 0; round < 60; ++round) {
    std::vector<double> weights;
    for (int i = 0; i < 11; ++i) {
      state = state * 1664525u + 1013904223u;
      weights.push_back(1 + (state >> 24) % 9);
    }
    const std::size_t parts = 1 + round % 5;
    const auto [sums, lengths] = cut_evenly(weights, parts);
    ASSERT_EQ(sums.size(), parts);
    EXPECT_EQ(std::accumulate(lengths.begin(), lengths.end(), std::size_t{0}), weights.size());
    EXPECT_DOUBLE_EQ(std::accumulate(sums.begin(), sums.end(), 0.0),
                     std::accumulate(weights.begin(), weights.end(), 0.0));
    EXPECT_NEAR(*std::max_element(sums.begin(), sums.end()), best_cut(weights, 0, parts), 1e-9);
  }
}

// The map of owners adds up to the loads of the ranks.
TEST(Decompositions, OwnersHaveTheLoads) {
  std::ifstream file(test::ocean_map());
  const LoadMap map = parse_load_map({std::istreambuf_iterator<char>(file), {}}, "ocean.map");
  for (const Distribution one :
       {Distribution::Cartesian, Distribution::BlockCyclic, Distribution::Balanced}) {
    const Decomposition wanted = completed({.distribution = one, .ranks = 24}, map);
    const std::vector<std::uint32_t> owners = owners_of(map, wanted);
    ASSERT_EQ(owners.size(), map.load.size());
    std::vector<double> loads(24, 0);
    for (std::size_t cell = 0; cell < owners.size(); ++cell)
      if (owners[cell] == kNoOwner) {
        EXPECT_EQ(map.load[cell], 0) << name_of(one);
      } else {
        loads[owners[cell]] += map.load[cell];
      }
    EXPECT_THAT(loads, ::testing::Pointwise(::testing::DoubleEq(), loads_of(map, wanted)));
  }
}

TEST(MapPicture, IsCoarseWhereTheMapIsLarge) {
  const LoadMap map = parse_load_map("1 3 5 5 9\n1 3 5 5 9\n0 0 2 2 9\n", "f");
  const BalanceReport::Picture picture = picture_of(map, 3);
  EXPECT_EQ(picture.cells, 2u);
  EXPECT_EQ(picture.width, 3u);
  EXPECT_EQ(picture.height, 2u);
  EXPECT_THAT(picture.load, ElementsAre(2, 5, 9, 0, 2, 9));
  const Decomposition halves = completed({.ranks = 2, .columns = 2, .rows = 1}, map);
  EXPECT_THAT(owners_in(picture, map, halves), ElementsAre(0, 1, 1, 0, 1, 1));
}

// The example of the documentation: leaving out land and cutting evenly reduces alpha for every number of
// ranks.
TEST(Decompositions, OceanIsBetterBalancedWithoutLand) {
  std::ifstream file(test::ocean_map());
  const LoadMap map = parse_load_map({std::istreambuf_iterator<char>(file), {}}, "ocean.map");
  for (const std::uint32_t ranks : {16u, 64u, 128u, 256u}) {
    const auto alpha_p = [&](Distribution distribution) {
      const std::vector<double> loads = divide(map, {.distribution = distribution, .ranks = ranks});
      EXPECT_DOUBLE_EQ(std::accumulate(loads.begin(), loads.end(), 0.0),
                       static_cast<double>(map.cells_with_load()));
      return balance_figures(loads, {}, "ocean").alpha_p();
    };
    EXPECT_GT(alpha_p(Distribution::Cartesian), 0.2);
    EXPECT_LT(alpha_p(Distribution::Balanced), alpha_p(Distribution::Cartesian) / 2) << ranks;
    EXPECT_LT(alpha_p(Distribution::BlockCyclic), alpha_p(Distribution::Cartesian)) << ranks;
  }
}

}  // namespace
}  // namespace waitdiag

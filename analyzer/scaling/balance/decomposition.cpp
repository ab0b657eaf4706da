// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/scaling/balance/decomposition.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <tuple>
#include <utility>

#include "analyzer/trace/model/trace_error.hpp"

namespace waitdiag {
namespace {

// The columns and rows whose ratio is closest to that of the map.
std::pair<std::uint32_t, std::uint32_t> fitting_shape(std::uint32_t ranks, const LoadMap& map) {
  const double wanted = std::log(static_cast<double>(map.width) / static_cast<double>(map.height));
  std::pair<std::uint32_t, std::uint32_t> best{ranks, 1};
  double least = HUGE_VAL;
  for (std::uint32_t columns = 1; columns <= ranks; ++columns) {
    if (ranks % columns != 0) continue;
    const std::uint32_t rows = ranks / columns;
    const double miss = std::abs(std::log(static_cast<double>(columns) / rows) - wanted);
    if (miss < least) {
      least = miss;
      best = {columns, rows};
    }
  }
  return best;
}

std::size_t pieces(std::size_t length, std::size_t piece) {
  return (length + piece - 1) / piece;
}

// The part, of `parts`, that cell `at` of `length` belongs to; their sizes differ by 1 at most.
std::size_t part_of(std::size_t at, std::size_t length, std::size_t parts) {
  return ((at + 1) * parts - 1) / length;
}

// Loads of blocks, row by row.
LoadMap blocks_of(const LoadMap& map, const Decomposition& d) {
  LoadMap blocks{pieces(map.width, d.block_width), pieces(map.height, d.block_height), {}};
  blocks.load.assign(blocks.width * blocks.height, 0);
  for (std::size_t y = 0; y < map.height; ++y)
    for (std::size_t x = 0; x < map.width; ++x)
      blocks.load[y / d.block_height * blocks.width + x / d.block_width] += map.at(x, y);
  return blocks;
}

// Blocks with load, in the order of the curve, and where the curve is cut.
struct CutCurve {
  std::vector<std::pair<std::uint64_t, std::size_t>> blocks{};  // place on the curve, number
  Cuts cuts{};
};

CutCurve cut_curve(const LoadMap& map, const Decomposition& d) {
  const LoadMap blocks = blocks_of(map, d);
  const auto order = static_cast<std::uint32_t>(std::bit_width(std::max(blocks.width, blocks.height) - 1));
  CutCurve result;
  auto& curve = result.blocks;
  for (std::size_t y = 0; y < blocks.height; ++y)
    for (std::size_t x = 0; x < blocks.width; ++x)
      if (blocks.at(x, y) > 0) curve.emplace_back(hilbert_place(order, x, y), y * blocks.width + x);
  if (curve.size() < d.ranks)
    throw TraceError("only " + std::to_string(curve.size()) + " blocks of " + std::to_string(d.block_width) +
                     " x " + std::to_string(d.block_height) + " cells hold a load, too few for " +
                     std::to_string(d.ranks) + " ranks; take smaller blocks or fewer ranks");
  std::sort(curve.begin(), curve.end());
  std::vector<double> weights;
  for (const auto& [place, block] : curve) weights.push_back(blocks.load[block]);
  result.cuts = cut_evenly(weights, d.ranks);
  return result;
}

std::vector<std::uint32_t> balanced_owners(const LoadMap& map, const Decomposition& d) {
  const CutCurve curve = cut_curve(map, d);
  const std::size_t across = pieces(map.width, d.block_width);
  std::vector<std::uint32_t> of_block(across * pieces(map.height, d.block_height), kNoOwner);
  std::size_t place = 0;
  for (std::uint32_t rank = 0; rank < d.ranks; ++rank)
    for (std::size_t i = 0; i < curve.cuts.lengths[rank]; ++i, ++place)
      of_block[curve.blocks[place].second] = rank;
  std::vector<std::uint32_t> owners(map.load.size());
  for (std::size_t y = 0; y < map.height; ++y)
    for (std::size_t x = 0; x < map.width; ++x)
      owners[y * map.width + x] = of_block[y / d.block_height * across + x / d.block_width];
  return owners;
}

std::vector<std::uint32_t> dealt_owners(const LoadMap& map, const Decomposition& d) {
  const bool cyclic = d.distribution == Distribution::BlockCyclic;
  const std::size_t across = cyclic ? pieces(map.width, d.block_width) : map.width;
  const std::size_t down = cyclic ? pieces(map.height, d.block_height) : map.height;
  if (across < d.columns || down < d.rows)
    throw TraceError(std::to_string(d.columns) + " x " + std::to_string(d.rows) + " ranks are too many for " +
                     std::to_string(across) + " x " + std::to_string(down) + (cyclic ? " blocks" : " cells") +
                     "; take fewer ranks" + (cyclic ? " or smaller blocks" : ""));
  std::vector<std::uint32_t> owners(map.load.size());
  for (std::size_t y = 0; y < map.height; ++y) {
    const std::size_t row = cyclic ? y / d.block_height % d.rows : part_of(y, map.height, d.rows);
    for (std::size_t x = 0; x < map.width; ++x) {
      const std::size_t column = cyclic ? x / d.block_width % d.columns : part_of(x, map.width, d.columns);
      owners[y * map.width + x] = static_cast<std::uint32_t>(row * d.columns + column);
    }
  }
  return owners;
}

}  // namespace

const char* name_of(Distribution distribution) {
  switch (distribution) {
    case Distribution::Cartesian:
      return "cartesian";
    case Distribution::BlockCyclic:
      return "block-cyclic";
    case Distribution::Balanced:
      break;
  }
  return "balanced";
}

Decomposition completed(Decomposition d, const LoadMap& map) {
  if (d.columns == 0 || d.rows == 0) std::tie(d.columns, d.rows) = fitting_shape(d.ranks, map);
  if (std::uint64_t{d.columns} * d.rows != d.ranks)
    throw TraceError("a grid of " + std::to_string(d.columns) + " x " + std::to_string(d.rows) +
                     " ranks has not " + std::to_string(d.ranks) +
                     " of them; give another --grid or --ranks");
  if (d.block_width == 0 || d.block_height == 0) {
    constexpr double kBlocksOfARank = 16;
    const double cells = static_cast<double>(map.load.size()) / (kBlocksOfARank * d.ranks);
    d.block_width = d.block_height = static_cast<std::uint32_t>(std::max(1.0, std::floor(std::sqrt(cells))));
  }
  return d;
}

std::string title_of(const Decomposition& d) {
  const auto by = [](std::uint32_t a, std::uint32_t b) {
    return std::to_string(a) + "x" + std::to_string(b);
  };
  std::string title = name_of(d.distribution);
  if (d.distribution != Distribution::Balanced) title += " " + by(d.columns, d.rows);
  if (d.distribution != Distribution::Cartesian) title += ", blocks " + by(d.block_width, d.block_height);
  return title;
}

std::vector<double> loads_of(const LoadMap& map, const Decomposition& d) {
  if (d.distribution == Distribution::Balanced) return cut_curve(map, d).cuts.sums;
  const std::vector<std::uint32_t> owners = dealt_owners(map, d);
  std::vector<double> loads(d.ranks, 0);
  for (std::size_t cell = 0; cell < owners.size(); ++cell) loads[owners[cell]] += map.load[cell];
  return loads;
}

std::vector<std::uint32_t> owners_of(const LoadMap& map, const Decomposition& d) {
  return d.distribution == Distribution::Balanced ? balanced_owners(map, d) : dealt_owners(map, d);
}

}  // namespace waitdiag

// Which rank gets which cells of a load map.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "analyzer/scaling/balance/load_files.hpp"

namespace waitdiag {

enum class Distribution : std::uint8_t {
  Cartesian,    // one rectangle of cells for every rank
  BlockCyclic,  // blocks dealt out in turn over the rows and columns of ranks
  Balanced,     // blocks without load (land) left out, the others cut into even parts along a Hilbert curve
};
const char* name_of(Distribution distribution);

struct Decomposition {
  Distribution distribution = Distribution::Cartesian;
  std::uint32_t ranks = 1;
  std::uint32_t columns = 0, rows = 0;              // ranks in x and in y; 0: as square as `ranks` allows
  std::uint32_t block_width = 0, block_height = 0;  // cells; 0: about 16 blocks for a rank
};

// Fills in what was left open. Throws TraceError for a grid of ranks whose number is not `ranks`.
Decomposition completed(Decomposition decomposition, const LoadMap& map);

// "cartesian 8x8", "balanced, blocks 3x2"
std::string title_of(const Decomposition& completed);

// Load of each rank; its sum is that of the map. Throws TraceError where there are more ranks than pieces.
std::vector<double> loads_of(const LoadMap& map, const Decomposition& completed);

// The rank of each cell, row by row; kNoOwner: left out. Throws as loads_of().
inline constexpr std::uint32_t kNoOwner = 0xffffffff;
std::vector<std::uint32_t> owners_of(const LoadMap& map, const Decomposition& completed);

struct Cuts {
  std::vector<double> sums{};          // by part
  std::vector<std::size_t> lengths{};  // weights of each part
};
// Cuts `weights` into `parts` stretches, none of them empty, so that the heaviest is as light as possible (to
// one part in 10^12). Needs at least `parts` weights.
Cuts cut_evenly(const std::vector<double>& weights, std::size_t parts);

// Place of the cell (x, y) on the Hilbert curve through a square of 2^order cells a side.
std::uint64_t hilbert_place(std::uint32_t order, std::uint64_t x, std::uint64_t y);

}  // namespace waitdiag

// Process grids, and how evenly they divide an array (Klinov, section on the best processor grid).
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace waitdiag {

inline constexpr std::size_t kMostGridDimensions = 3;

// Ranks along each dimension; 1 beyond the last one. Rank numbers run fastest along the last dimension, as in
// MPI_Cart_create.
struct ProcessGrid {
  std::array<std::uint32_t, kMostGridDimensions> along{1, 1, 1};
  std::uint32_t ranks() const { return along[0] * along[1] * along[2]; }
  friend auto operator<=>(const ProcessGrid&, const ProcessGrid&) = default;
};

std::string name_of(const ProcessGrid& grid, std::size_t dimensions);  // "7 x 16"

// All grids over the first `dimensions` dimensions with at most `most_ranks` ranks, in lexicographic order.
std::vector<ProcessGrid> all_grids(std::size_t dimensions, std::uint32_t most_ranks);

// Block distribution: every rank along a dimension gets ceil(size / parts) cells, the last ones the
// remainder.
std::uint64_t block_size(std::uint64_t size, std::uint32_t parts);
std::uint64_t block_of(std::uint64_t size, std::uint32_t parts, std::uint32_t part);

// Smallest divided by largest part along a dimension, for the worst dimension: 1 where all ranks have equally
// much, 0 where one has nothing.
double uniformity(const ProcessGrid& grid, const std::vector<std::uint64_t>& sizes);

}  // namespace waitdiag

// Partners by maps that are linear around the ranks, or around each dimension of a grid: permutations (7 r + 3),
// skewed blocks (row i shifted by i, as Cannon's algorithm begins), reflections.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>
#include <vector>

#include "analyzer/scaling/sequences/grids.hpp"

namespace waitdiag {

struct AffineMap {
  std::vector<int> factors{};  // by rows: one number, or two rows of two
  std::vector<int> offset{};

  // The rank with the coordinates factors * coordinates + offset, each modulo its extent.
  std::optional<int> image(const Grid& grid, int rank) const;
  // One dimension: whose image the rank is. None where several ranks share an image.
  std::optional<int> source(const Grid& grid, int rank) const;
  int magnitude() const;  // sum of the amounts
  friend bool operator==(const AffineMap&, const AffineMap&) = default;
};

// Maps that may lead from each rank to its peer; -1 and less: it has none. Not among them are those of smaller
// classes of laws: shifts, constants, transposition.
std::vector<AffineMap> affine_maps(const Grid& grid, const std::vector<int>& peers);

}  // namespace waitdiag

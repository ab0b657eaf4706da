// Grids that the runs do not tell from the one that is used for the target.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <vector>

#include "analyzer/scaling/quantity_laws/study.hpp"

namespace waitdiag {

struct OtherGrid {
  std::vector<int> used{},
      extents{};            // of the target: the one in use, and the other, in the order of its dimensions
  int ranks_to_record = 0;  // a run with so many has different grids by the two rules
};

// Each numbers the ranks of all runs in the same way as a grid of `used` (places in study.grids), and those of the target in
// another one: 2x2x2, 4x2x2 and 4x4x2 are followed by 4x4x4 if they are as even as possible, and by 8x4x2 if they are two
// layers of grids.
std::vector<OtherGrid> other_grids(const Study& study, const std::vector<std::size_t>& used);

}  // namespace waitdiag

// The process grid with the least predicted time among those with at most so many ranks that use them well
// enough.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <vector>

#include "analyzer/scaling/grid/grid_evaluator.hpp"

namespace waitdiag {

struct GridLimits {
  std::size_t dimensions = 1;  // distributed, the first ones
  std::uint32_t most_ranks = 1;
  double least_efficiency = 0;
};

struct GridChoice {
  ProcessGrid grid{};
  double seconds = 0, efficiency = 1;
  std::uint64_t grids = 0, candidates = 0;  // all; those that were not ruled out at first sight
  std::uint64_t evaluations = 0;            // replays
};

// Less time is better; of grids with the same time the one with fewer ranks, then the first.
bool is_better(double seconds, const ProcessGrid& grid, double best_seconds, const ProcessGrid& best);

// Every grid is evaluated.
GridChoice search_all(GridEvaluator& evaluator, const GridLimits& limits);

// Branch and bound, with the same result: grids in the order of their lower bounds (that of the computation
// first, the full one when it comes up), until the next one cannot be better. A grid that cannot be efficient
// enough by its bound is never evaluated.
GridChoice search_bounded(GridEvaluator& evaluator, const GridLimits& limits);

// DVM's two heuristics. (1) A grid in which a rank has nothing is no candidate. (2) Grids that differ in one
// dimension only form a class with one local minimum: of candidates of the highest uniformity (in hundredths)
// that are left the one in the middle by ranks is evaluated, and in each of its classes, and by ranks among
// those of this uniformity, only what lies between the neighbours of the best one is kept. May miss the best
// grid.
GridChoice search_dvm(GridEvaluator& evaluator, const GridLimits& limits);

}  // namespace waitdiag

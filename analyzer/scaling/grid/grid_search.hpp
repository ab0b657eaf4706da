// The process grid with the least predicted time among those that have at most a given number of ranks and
// use them well enough.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <vector>

#include "analyzer/scaling/grid/grid_evaluator.hpp"

namespace waitdiag {

struct GridLimits {
  std::size_t dimensions = 1;  // number of distributed dimensions, the first ones
  std::uint32_t most_ranks = 1;
  double least_efficiency = 0;
};

struct GridChoice {
  ProcessGrid grid{};
  double seconds = 0, efficiency = 1;
  std::uint64_t grids = 0, candidates = 0;  // all; those that were not ruled out immediately
  std::uint64_t evaluations = 0;            // replays
};

// Less time is better; among grids with the same time, fewer ranks, then the first one.
bool is_better(double seconds, const ProcessGrid& grid, double best_seconds, const ProcessGrid& best);

// Every grid is evaluated.
GridChoice search_all(GridEvaluator& evaluator, const GridLimits& limits);

// Branch and bound, with the same result: grids in the order of their lower bounds (that of the computation
// first, the full one when it comes up), until the next one cannot be better. A grid that cannot be efficient
// enough by its bound is never evaluated.
GridChoice search_bounded(GridEvaluator& evaluator, const GridLimits& limits);

// DVM's two heuristics. (1) A grid in which a rank has nothing is not a candidate. (2) Grids that differ in
// one dimension only form a class with one local minimum. Of the remaining candidates with the highest
// uniformity (in hundredths), the one in the middle by number of ranks is evaluated. In each of its classes,
// and by number of ranks among those of this uniformity, only candidates between the neighbours of the best
// one are kept. May miss the best grid.
GridChoice search_dvm(GridEvaluator& evaluator, const GridLimits& limits);

}  // namespace waitdiag

// SPDX-License-Identifier: BSD-3-Clause
#include <limits>
#include <queue>
#include <tuple>

#include "analyzer/scaling/grid/grid_search.hpp"

namespace waitdiag {
namespace {

class BestGrid {
 public:
  BestGrid(GridEvaluator& evaluator, const GridLimits& limits) : evaluator_(evaluator), limits_(limits) {
    choice_.seconds = std::numeric_limits<double>::infinity();
  }
  void try_grid(const ProcessGrid& grid) {
    const double seconds = evaluator_.time(grid), efficiency = evaluator_.efficiency(grid, seconds);
    if (efficiency < limits_.least_efficiency && grid.ranks() > 1) return;
    if (!is_better(seconds, grid, choice_.seconds, choice_.grid)) return;
    choice_.seconds = seconds;
    choice_.efficiency = efficiency;
    choice_.grid = grid;
  }
  double seconds() const { return choice_.seconds; }
  GridChoice result(std::uint64_t grids, std::uint64_t candidates, std::uint64_t evaluations) {
    choice_.grids = grids;
    choice_.candidates = candidates;
    choice_.evaluations = evaluations;
    return choice_;
  }

 private:
  GridEvaluator& evaluator_;
  const GridLimits& limits_;
  GridChoice choice_;
};

}  // namespace

bool is_better(double seconds, const ProcessGrid& grid, double best_seconds, const ProcessGrid& best) {
  return std::make_tuple(seconds, grid.ranks(), grid) < std::make_tuple(best_seconds, best.ranks(), best);
}

GridChoice search_all(GridEvaluator& evaluator, const GridLimits& limits) {
  const std::vector<ProcessGrid> grids = all_grids(limits.dimensions, limits.most_ranks);
  const std::uint64_t before = evaluator.evaluations();
  BestGrid best(evaluator, limits);
  for (const ProcessGrid& grid : grids) best.try_grid(grid);
  return best.result(grids.size(), grids.size(), evaluator.evaluations() - before);
}

GridChoice search_bounded(GridEvaluator& evaluator, const GridLimits& limits) {
  struct Bounded {
    double bound = 0;
    ProcessGrid grid{};
    bool exact = false;                           // lower_bound(), not only the computation
    bool operator<(const Bounded& other) const {  // puts the best one on top of the heap
      return is_better(other.bound, other.grid, bound, grid);
    }
  };
  std::priority_queue<Bounded> queue;
  std::uint64_t grids = 0, candidates = 0;
  for (const ProcessGrid& grid : all_grids(limits.dimensions, limits.most_ranks)) {
    ++grids;
    queue.push({evaluator.computation_bound(grid), grid});
  }
  const std::uint64_t before = evaluator.evaluations();
  BestGrid best(evaluator, limits);
  while (!queue.empty() && queue.top().bound <= best.seconds()) {
    Bounded next = queue.top();
    queue.pop();
    if (next.exact) {
      best.try_grid(next.grid);
      continue;
    }
    ++candidates;
    next.bound = evaluator.lower_bound(next.grid);
    next.exact = true;
    if (next.grid.ranks() == 1 || evaluator.efficiency(next.grid, next.bound) >= limits.least_efficiency)
      queue.push(next);
  }
  return best.result(grids, candidates, evaluator.evaluations() - before);
}

}  // namespace waitdiag

// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "analyzer/scaling/grid/grid_search.hpp"

namespace waitdiag {
namespace {

class DvmSearch {
 public:
  DvmSearch(GridEvaluator& evaluator, const GridLimits& limits) : evaluator_(evaluator), limits_(limits) {
    for (const ProcessGrid& grid : all_grids(limits.dimensions, limits.most_ranks)) {
      ++grids_;
      if (uniformity(grid, evaluator.program().size) > 0) candidates_.push_back({grid, score_of(grid)});
    }
    std::stable_sort(candidates_.begin(), candidates_.end(),
                     [](const Candidate& a, const Candidate& b) { return a.score > b.score; });
  }

  GridChoice run() {
    const std::uint64_t before = evaluator_.evaluations();
    GridChoice choice{.seconds = std::numeric_limits<double>::infinity()};
    for (Candidate* next = pick(); next != nullptr; next = pick()) {
      next->open = false;
      const double seconds = evaluator_.time(next->grid),
                   efficiency = evaluator_.efficiency(next->grid, seconds);
      const bool good = efficiency >= limits_.least_efficiency || next->grid.ranks() == 1;
      // Efficiency falls with more ranks: a grid that is not efficient enough is the worse, the more ranks it
      // has.
      constexpr double kWorse = 1e9;
      const double value = good ? seconds : kWorse * evaluator_.serial_time() * next->grid.ranks();
      values_[next->grid] = value;
      if (good && is_better(seconds, next->grid, choice.seconds, choice.grid)) {
        choice.grid = next->grid;
        choice.seconds = seconds;
        choice.efficiency = efficiency;
      }
      shrink(next->grid);
    }
    choice.grids = grids_;
    choice.candidates = candidates_.size();
    choice.evaluations = evaluator_.evaluations() - before;
    return choice;
  }

 private:
  struct Candidate {
    ProcessGrid grid;
    double score = 0;  // score_of()
    bool open = true;
  };

  // In hundredths: at full precision, hardly any two grids would have the same score.
  double score_of(const ProcessGrid& grid) const {
    constexpr double kHundredths = 100, kRounding = 1e-9;
    return std::ceil(uniformity(grid, evaluator_.program().size) * kHundredths - kRounding);
  }

  // Of the open candidates with the highest score, the one in the middle by number of ranks.
  Candidate* pick() {
    std::vector<Candidate*> best;
    for (Candidate& candidate : candidates_) {
      if (!candidate.open) continue;
      if (!best.empty() && candidate.score < best.front()->score) break;
      best.push_back(&candidate);
    }
    if (best.empty()) return nullptr;
    const auto middle = best.begin() + static_cast<std::ptrdiff_t>(best.size() / 2);
    std::nth_element(best.begin(), middle, best.end(), [](const Candidate* a, const Candidate* b) {
      return a->grid.ranks() != b->grid.ranks() ? a->grid.ranks() < b->grid.ranks() : a->grid < b->grid;
    });
    return *middle;
  }

  static bool same_class(const ProcessGrid& a, const ProcessGrid& b, std::size_t dimension) {
    for (std::size_t d = 0; d < kMostGridDimensions; ++d)
      if (d != dimension && a.along[d] != b.along[d]) return false;
    return true;
  }

  using Known = std::map<std::uint32_t, double>;  // place in a class -> least time there
  struct Bracket {
    std::uint32_t least = 0, most = std::numeric_limits<std::uint32_t>::max();
  };

  // Where the minimum of a class must lie: between the known neighbours of its best known grid.
  static Bracket bracket_of(const Known& known) {
    Bracket bracket;
    const auto best = std::min_element(known.begin(), known.end(),
                                       [](const auto& a, const auto& b) { return a.second < b.second; });
    if (best == known.end()) return bracket;
    if (best != known.begin()) bracket.least = std::prev(best)->first;
    if (std::next(best) != known.end()) bracket.most = std::next(best)->first;
    return bracket;
  }

  static void add(Known& known, std::uint32_t place, double value) {
    const auto [entry, is_new] = known.try_emplace(place, value);
    if (!is_new) entry->second = std::min(entry->second, value);
  }

  // Closes the candidates of a class that lie outside. `place`: the place of a grid in the class.
  template <typename InClass, typename Place>
  void shrink_class(InClass in_class, Place place) {
    Known known;
    for (const auto& [other, value] : values_)
      if (in_class(other)) add(known, place(other), value);
    const Bracket bracket = bracket_of(known);
    for (Candidate& candidate : candidates_)
      if ((place(candidate.grid) < bracket.least || place(candidate.grid) > bracket.most) &&
          in_class(candidate.grid))
        candidate.open = false;
  }

  void shrink(const ProcessGrid& grid) {
    for (std::size_t d = 0; d < limits_.dimensions; ++d)
      shrink_class([&, d](const ProcessGrid& other) { return same_class(grid, other, d); },
                   [d](const ProcessGrid& other) { return other.along[d]; });
    const double score = score_of(grid);
    shrink_class([&](const ProcessGrid& other) { return score_of(other) == score; },
                 [](const ProcessGrid& other) { return other.ranks(); });
  }

  GridEvaluator& evaluator_;
  const GridLimits& limits_;
  std::vector<Candidate> candidates_;     // highest score first
  std::map<ProcessGrid, double> values_;  // evaluated
  std::uint64_t grids_ = 0;
};

}  // namespace

GridChoice search_dvm(GridEvaluator& evaluator, const GridLimits& limits) {
  return DvmSearch(evaluator, limits).run();
}

}  // namespace waitdiag

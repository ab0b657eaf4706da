// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/scaling/program_laws/program_laws.hpp"

#include <algorithm>
#include <set>
#include <utility>
#include <vector>

#include "analyzer/trace/model/trace_error.hpp"

namespace waitdiag {
namespace {

ProgramLaws laws_as_ordered(const Study& study) {
  ProgramLaws laws{.roles = std::make_unique<Roles>(study)};
  laws.slots = find_slots(study, *laws.roles);
  return laws;
}

// Of more than one dimension, in the target.
std::set<std::vector<int>> shapes_used(const Study& study, const Slots& slots) {
  std::set<std::vector<int>> shapes;
  for (const std::size_t grid : slots.used_grids)
    if (const std::vector<int>& extents = study.grids[grid].target.extents; extents.size() > 1)
      shapes.insert(extents);
  return shapes;
}

void put_first(std::vector<GridLaw>& grids, std::size_t which) {
  const auto first = grids.begin() + static_cast<std::ptrdiff_t>(which);
  std::rotate(grids.begin(), first, std::next(first));
}

}  // namespace

ProgramLaws find_program_laws(Study& study) {
  ProgramLaws best = laws_as_ordered(study);
  std::size_t fewest = shapes_used(study, best.slots).size();
  if (fewest < 2) return best;
  const std::vector<GridLaw> as_found = study.grids;
  std::vector<GridLaw> best_order = as_found;
  // Grids of more dimensions are last.
  const std::vector<std::size_t> used = best.slots.used_grids;
  for (auto grid = used.rbegin(); grid != used.rend(); ++grid) {
    if (as_found[*grid].recorded || as_found[*grid].target.extents.size() < 2) continue;
    study.grids = as_found;
    put_first(study.grids, *grid);
    try {
      ProgramLaws other = laws_as_ordered(study);
      const std::size_t shapes = shapes_used(study, other.slots).size();
      const bool as_exact = std::pair(other.slots.inexact, other.slots.drawn) <=
                            std::pair(best.slots.inexact, best.slots.drawn);
      if (shapes >= fewest || !as_exact) continue;
      fewest = shapes;
      best = std::move(other);
      best_order = study.grids;
    } catch (const TraceError&) {  // then it does not explain all
    }
  }
  study.grids = std::move(best_order);
  return best;
}

}  // namespace waitdiag

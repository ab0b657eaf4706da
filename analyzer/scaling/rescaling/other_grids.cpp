// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/scaling/rescaling/other_grids.hpp"

#include <algorithm>
#include <set>

#include "analyzer/trace/model/trace_error.hpp"

namespace waitdiag {
namespace {

// By how far apart neighbours along a dimension are: those in a row come last.
std::vector<int> slowest_first(const Grid& grid) {
  std::vector<int> extents = grid.extents;
  if (grid.first_fastest) std::ranges::reverse(extents);
  return extents;
}

bool alike_in_all_runs(const GridLaw& a, const GridLaw& b) {
  return std::ranges::equal(a.of_run, b.of_run, {}, slowest_first, slowest_first);
}

// How laws that are alike in all runs number so many ranks.
std::set<std::vector<int>> numberings(const std::vector<const Trace*>& runs, const GridLaw& like,
                                      const RunSize& size) {
  std::set<std::vector<int>> found;
  try {
    for (const GridLaw& law : grid_laws(runs, size, {}))
      if (alike_in_all_runs(law, like)) found.insert(slowest_first(law.target));
  } catch (const TraceError&) {  // a recorded grid that says nothing about this size
  }
  return found;
}

// The least of target, target / 2, ... that tells; the target itself does.
int ranks_to_record(const Study& study, const GridLaw& law) {
  constexpr int kFewest = 4;
  std::vector<const Trace*> runs;
  for (const SourceRun& run : study.runs) runs.push_back(run.trace);
  RunSize size = study.target;
  int best = size.ranks;
  for (; size.ranks >= kFewest; size.ranks /= 2) {
    const bool recorded =
        std::ranges::any_of(study.sizes, [&](const RunSize& run) { return run.ranks == size.ranks; });
    if (!recorded && numberings(runs, law, size).size() > 1) best = size.ranks;
    if (size.ranks % 2 != 0) break;
  }
  return best;
}

}  // namespace

std::vector<OtherGrid> other_grids(const Study& study, const std::vector<std::size_t>& used) {
  std::vector<OtherGrid> others;
  std::set<std::vector<int>> known;
  for (const std::size_t at : used) {
    const GridLaw& law = study.grids[at];
    if (law.recorded || law.target.extents.size() < 2) continue;
    known.insert(slowest_first(law.target));
    for (const GridLaw& other : study.grids) {
      if (other.recorded || !alike_in_all_runs(law, other)) continue;
      std::vector<int> extents = slowest_first(other.target);
      if (!known.insert(extents).second) continue;
      if (law.target.first_fastest) std::ranges::reverse(extents);
      others.push_back({law.target.extents, std::move(extents), ranks_to_record(study, law)});
    }
  }
  return others;
}

}  // namespace waitdiag

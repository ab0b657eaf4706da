// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/scaling/rescaling/presence.hpp"

#include <algorithm>
#include <functional>

#include "analyzer/trace/model/trace_error.hpp"

namespace waitdiag {
namespace {

// Of a rank, with so many of them, in this grid.
using Rule = std::function<bool(int rank, int ranks, const Grid& grid)>;
struct GridRule {
  std::size_t grid = 0;
  Rule holds{};
};

std::vector<GridRule> rules_of(const Study& study) {
  std::vector<GridRule> rules;
  const auto add = [&](std::size_t grid, const Rule& rule) {
    rules.push_back({grid, rule});
    rules.push_back(
        {grid, [rule](int rank, int ranks, const Grid& shape) { return !rule(rank, ranks, shape); }});
  };
  add(0, [](int rank, int, const Grid&) { return rank == 0; });
  add(0, [](int rank, int ranks, const Grid&) { return rank == ranks - 1; });
  add(0, [](int rank, int, const Grid&) { return rank % 2 == 0; });
  add(0, [](int rank, int ranks, const Grid&) { return 2 * rank < ranks; });
  for (std::size_t grid = 0; grid < study.grids.size(); ++grid) {
    const std::size_t dimensions = study.grids[grid].target.extents.size();
    for (std::size_t d = 0; d < dimensions; ++d) {
      add(grid, [d](int rank, int, const Grid& shape) { return shape.coordinates(rank)[d] == 0; });
      add(grid, [d](int rank, int, const Grid& shape) {
        return shape.coordinates(rank)[d] == shape.extents[d] - 1;
      });
    }
    if (dimensions == 2)
      add(grid, [](int rank, int, const Grid& shape) {
        const std::vector<int> at = shape.coordinates(rank);
        return at[0] == at[1];
      });
  }
  return rules;
}

std::vector<bool> ranks_where(const Rule& rule, int ranks, const Grid& grid) {
  std::vector<bool> where;
  for (int rank = 0; rank < ranks; ++rank) where.push_back(rule(rank, ranks, grid));
  return where;
}

}  // namespace

PresenceLaws::Present PresenceLaws::recorded(std::uint32_t call) const {
  Present present;
  for (std::size_t run = 0; run < study_.runs.size(); ++run) {
    auto& of_run = present.emplace_back();
    for (std::size_t rank = 0; rank < static_cast<std::size_t>(study_.sizes[run].ranks); ++rank)
      of_run.push_back(study_.sequence.op(run, rank, call) != kNoOp);
  }
  return present;
}

Presence PresenceLaws::shared(std::vector<bool> target) {
  for (const Presence& known : known_)
    if (*known == target) return known;
  return known_.emplace_back(std::make_shared<const std::vector<bool>>(std::move(target)));
}

Presence PresenceLaws::find(std::uint32_t call, const std::vector<PeerLaw>& messages) {
  if (study_.sequence.ops.empty()) return nullptr;
  const Present present = recorded(call);
  const auto all = [](const std::vector<bool>& run) { return std::ranges::find(run, false) == run.end(); };
  if (std::ranges::all_of(present, all)) return nullptr;
  std::vector<GridRule> rules;
  for (const PeerLaw& law : messages)
    rules.push_back({law.grid, [law](int rank, int ranks, const Grid& grid) {
                       return law.peer(rank, ranks, grid).has_value();
                     }});
  std::ranges::move(rules_of(study_), std::back_inserter(rules));
  for (const GridRule& rule : rules) {
    const GridLaw& law = study_.grids[rule.grid];
    bool holds = true;
    for (std::size_t run = 0; run < present.size() && holds; ++run)
      holds = ranks_where(rule.holds, study_.sizes[run].ranks, law.of_run[run]) == present[run];
    if (holds) return shared(ranks_where(rule.holds, study_.target.ranks, law.target));
  }
  throw TraceError(study_.sequence.difference);
}

}  // namespace waitdiag

// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/scaling/rank_laws/presence.hpp"

#include <algorithm>
#include <functional>

#include "analyzer/scaling/rank_laws/rank_subsets.hpp"
#include "analyzer/trace/model/trace_error.hpp"

namespace waitdiag {
PresenceLaws::PresenceLaws(const Study& study) : study_(study) {
  add_rules_of_ranks();
  add_rules_of_places();
}

void PresenceLaws::add(std::size_t grid, const Rule& rule) {
  rules_.push_back({grid, rule});
  rules_.push_back({grid, [rule](int rank, int ranks, const Grid& shape, const Turn& turn) {
                      return !rule(rank, ranks, shape, turn);
                    }});
}

void PresenceLaws::add_rules_of_ranks() {
  add(0, [](int rank, int, const Grid&, const Turn&) { return rank == 0; });
  add(0, [](int rank, int ranks, const Grid&, const Turn&) { return rank == ranks - 1; });
  add(0, [](int rank, int, const Grid&, const Turn&) { return rank % 2 == 0; });
  add(0, [](int rank, int ranks, const Grid&, const Turn&) { return 2 * rank < ranks; });
  // The first and the last of each node, chip ...
  for (const int block : {3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128}) {
    add(0, [block](int rank, int, const Grid&, const Turn&) { return rank % block == 0; });
    add(0, [block](int rank, int, const Grid&, const Turn&) { return rank % block == block - 1; });
  }
  // Of binomial trees: who is at their root, or below it, when partners are twice as far in each turn, or half. The
  // last of each block does what the first one does elsewhere.
  for (const Progress progress : {Progress::Doubling, Progress::Halving})
    for (const int times : {1, 2})
      for (const int after : {0, 1})
        add(0, [progress, times, after](int rank, int, const Grid&, const Turn& turn) {
          return (rank + after) % (times * multiple_at(progress, turn)) == 0;
        });
  for (const TreeOf& tree : kTrees)
    for (const int times : {1, tree.ranks})
      add(0, [of = tree.ranks, times](int rank, int, const Grid&, const Turn& turn) {
        return rank % (times * distance_in_tree(of, turn.number)) == 0;
      });
  for (const Progress progress : {Progress::Doubling, Progress::Halving})
    add(0, [progress](int rank, int, const Grid&, const Turn& turn) {
      return rank < multiple_at(progress, turn);
    });
}

void PresenceLaws::add_rules_of_places() {
  for (std::size_t grid = 0; grid < study_.grids.size(); ++grid) {
    const std::size_t dimensions = study_.grids[grid].target.extents.size();
    for (std::size_t d = 0; d < dimensions; ++d) {
      add(grid,
          [d](int rank, int, const Grid& shape, const Turn&) { return shape.coordinates(rank)[d] == 0; });
      add(grid, [d](int rank, int, const Grid& shape, const Turn&) {
        return shape.coordinates(rank)[d] == shape.extents[d] - 1;
      });
    }
    // One after the other, and again from the first.
    constexpr int kMost = 64;
    for (std::size_t d = 0; d < dimensions; ++d)
      for (int turn = 1; turn < kMost; ++turn)
        add(grid, [d, turn](int rank, int, const Grid& shape, const Turn&) {
          return shape.coordinates(rank)[d] == turn % shape.extents[d];
        });
    // The points of ever coarser grids.
    for (const Progress progress : {Progress::Doubling, Progress::Halving})
      for (const int times : {1, 2})
        if (dimensions > 1)
          add(grid, [progress, times](int rank, int, const Grid& shape, const Turn& turn) {
            return std::ranges::all_of(shape.coordinates(rank), [&](int at) {
              return at % (times * multiple_at(progress, turn)) == 0;
            });
          });
    if (dimensions == 2)
      add(grid, [](int rank, int, const Grid& shape, const Turn&) {
        const std::vector<int> at = shape.coordinates(rank);
        return at[0] == at[1];
      });
  }
  add_rules_of_edges();
}

// The first and the last along a dimension, along any of them, along all of them: both ends, the boundary, the corners.
void PresenceLaws::add_rules_of_edges() {
  for (std::size_t grid = 0; grid < study_.grids.size(); ++grid) {
    const auto dimensions = static_cast<int>(study_.grids[grid].target.extents.size());
    const auto is_end = [](const Grid& shape, int at, int dimension) {
      return at == 0 || at == shape.extents[static_cast<std::size_t>(dimension)] - 1;
    };
    const auto ends = [is_end](int rank, const Grid& shape) {
      int count = 0;
      for (int d = 0; const int at : shape.coordinates(rank)) count += is_end(shape, at, d++) ? 1 : 0;
      return count;
    };
    for (int d = 0; d < dimensions; ++d)
      add(grid, [d, is_end](int rank, int, const Grid& shape, const Turn&) {
        return is_end(shape, shape.coordinates(rank)[static_cast<std::size_t>(d)], d);
      });
    for (const int least : {1, dimensions})
      if (dimensions > 1)
        add(grid, [least, ends](int rank, int, const Grid& shape, const Turn&) {
          return ends(rank, shape) >= least;
        });
  }
}

PresenceLaws::Present PresenceLaws::recorded(std::uint32_t place, const Instances& instances) const {
  Present present = by_rank(study_, instances, false);
  for (std::size_t i = 0; i < instances.size(); ++i)
    for (std::size_t rank = 0; rank < present[i].size(); ++rank)
      present[i][rank] = study_.sequence.op(instances[i].run, rank, place, instances[i].turn.number) != kNoOp;
  return present;
}

bool PresenceLaws::all_make(const Present& present) {
  return std::ranges::all_of(
      present, [](const std::vector<bool>& run) { return std::ranges::find(run, false) == run.end(); });
}

struct PresenceLaws::CallOfSeries {
  std::uint32_t call = 0;
  Instances instances{};
  Present present{};
};

void PresenceLaws::add_series(const std::vector<std::uint32_t>& calls) {
  std::vector<CallOfSeries> series;
  for (const std::uint32_t call : calls) {
    const Instances instances = study_.sequence.instances(call, study_.runs.size());
    Present present = recorded(call, instances);
    if (!all_make(present)) series.push_back({call, instances, std::move(present)});
  }
  const bool alike = std::ranges::all_of(
      series, [&](const CallOfSeries& one) { return one.present == series.front().present; });
  if (alike) return;
  constexpr int kMostEach = 4;  // calls in a row
  for (std::size_t grid = 0; grid < study_.grids.size(); ++grid)
    for (std::size_t d = 0; d < study_.grids[grid].target.extents.size(); ++d)
      for (int each = 1; each <= kMostEach; ++each)
        if (add_turns(series, grid, d, each)) return;
}

// False: it is not so in all runs.
bool PresenceLaws::add_turns(const std::vector<CallOfSeries>& series, std::size_t grid, std::size_t dimension,
                             int each) {
  std::map<std::uint32_t, Presence> found;
  int nth = 0;
  for (const auto& [call, instances, present] : series) {
    const GridRule rule{grid,
                        [dimension, turn = nth++ / each](int rank, int, const Grid& shape, const Turn&) {
                          return shape.coordinates(rank)[dimension] == turn % shape.extents[dimension];
                        }};
    const auto of_rule = [&](int rank, std::size_t run, const Turn& turn) {
      return holds(rule, rank, run, turn);
    };
    if (!(found[call] = by(of_rule, call, instances, present))) return false;
  }
  in_turn_.merge(found);
  return true;
}

Presence PresenceLaws::shared(std::vector<bool> target) {
  for (const Presence& known : known_)
    if (*known == target) return known;
  return known_.emplace_back(std::make_shared<const std::vector<bool>>(std::move(target)));
}

bool PresenceLaws::holds(const GridRule& rule, int rank, std::size_t run, const Turn& turn) const {
  const GridLaw& law = study_.grids[rule.grid];
  return run == kTarget ? rule.holds(rank, study_.target.ranks, law.target, turn)
                        : rule.holds(rank, study_.sizes[run].ranks, law.of_run[run], turn);
}

std::optional<int> PresenceLaws::peer(const PeerLaw& law, int rank, std::size_t run, const Turn& turn) const {
  return run == kTarget ? law.peer(rank, study_.target.ranks, study_.grids[law.grid].target, turn)
                        : recorded_peer(study_, law, {run, turn}, rank);
}

Presence PresenceLaws::by(const Holds& holds, std::uint32_t call, const Instances& instances,
                          const Present& present) {
  for (std::size_t i = 0; i < present.size(); ++i)
    for (std::size_t rank = 0; rank < present[i].size(); ++rank)
      if (holds(static_cast<int>(rank), instances[i].run, instances[i].turn) != present[i][rank])
        return nullptr;
  std::vector<bool> target;
  for (int rank = 0; rank < study_.target.ranks; ++rank)
    target.push_back(holds(rank, kTarget, study_.sequence.turn(call)));
  return shared(std::move(target));
}

void PresenceLaws::add_drawn(std::uint32_t place, const DrawnPartners& partners) {
  const Instances instances = study_.sequence.instances(place, study_.runs.size());
  std::vector<bool> target;
  for (const std::vector<DrawnPartner>& of_rank : partners.of_rank) target.push_back(!of_rank.empty());
  const Present present = recorded(place, instances);
  for (auto& [known, ranks] : drawn_) {
    if (known != present) continue;
    for (std::size_t rank = 0; rank < ranks.size(); ++rank) ranks[rank] = ranks[rank] || target[rank];
    return;
  }
  drawn_.emplace_back(present, std::move(target));
}

Presence PresenceLaws::find(std::uint32_t call, const std::vector<PeerLaw>& messages) {
  if (study_.sequence.ops.empty()) return nullptr;
  const std::uint32_t place = study_.sequence.place(call);
  const Instances instances = study_.sequence.instances(place, study_.runs.size());
  const Present present = recorded(place, instances);
  if (all_make(present)) return nullptr;
  if (const auto found = in_turn_.find(place); found != in_turn_.end()) return found->second;
  for (const auto& [drawn, target] : drawn_)
    if (drawn == present) return shared(target);
  for (const PeerLaw& law : messages) {
    const auto has_peer = [&](int rank, std::size_t run, const Turn& turn) {
      return peer(law, rank, run, turn).has_value();
    };
    if (Presence found = by(has_peer, call, instances, present)) return found;
  }
  for (const GridRule& rule : rules_) {
    const auto of_rule = [&](int rank, std::size_t run, const Turn& turn) {
      return holds(rule, rank, run, turn);
    };
    if (Presence found = by(of_rule, call, instances, present)) return found;
  }
  for (const auto& subsets : {one_of_each_group, ranks_in_a_row, parts_of_ranks})
    for (const RankSubset& subset : subsets(present.back())) {
      const auto in_subset = [&](int rank, std::size_t run, const Turn&) {
        return subset.has(rank, run == kTarget ? study_.target.ranks : study_.sizes[run].ranks);
      };
      if (Presence found = by(in_subset, call, instances, present)) return found;
    }
  // Those of them that have a partner; or they, and their partners.
  for (const bool and_partners : {false, true})
    for (const PeerLaw& law : messages)
      for (const GridRule& rule : rules_) {
        const auto both = [&](int rank, std::size_t run, const Turn& turn) {
          const bool own = holds(rule, rank, run, turn);
          if (own == and_partners) return own;
          const std::optional<int> other = peer(law, rank, run, turn);
          return other && (!and_partners || holds(rule, *other, run, turn));
        };
        if (Presence found = by(both, call, instances, present)) return found;
      }
  throw TraceError(study_.sequence.difference);
}

std::vector<std::vector<std::uint32_t>> last_loop_calls(const std::vector<CallLoop>& loops,
                                                        const std::vector<Presence>& presence,
                                                        std::size_t ranks, std::uint32_t iterations) {
  std::vector<std::vector<std::uint32_t>> last(ranks);
  std::vector<std::uint32_t> made(ranks, 0);
  std::uint32_t call = 0;
  for (const CallLoop& loop : loops) {
    for (; call < loop.first + iterations * loop.length; ++call)
      for (std::size_t rank = 0; rank < ranks; ++rank)
        made[rank] += !presence[call] || (*presence[call])[rank] ? 1 : 0;
    for (std::size_t rank = 0; rank < ranks; ++rank)
      last[rank].push_back(made[rank] == 0 ? 0 : made[rank] - 1);
    call = loop.first + loop.count * loop.length;
  }
  return last;
}

}  // namespace waitdiag

// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/scaling/program_laws/presence.hpp"

#include <algorithm>
#include <functional>

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
}

PresenceLaws::Present PresenceLaws::recorded(std::uint32_t place, const Instances& instances) const {
  Present present = by_rank(study_, instances, false);
  for (std::size_t i = 0; i < instances.size(); ++i)
    for (std::size_t rank = 0; rank < present[i].size(); ++rank)
      present[i][rank] = study_.sequence.op(instances[i].run, rank, place, instances[i].turn.number) != kNoOp;
  return present;
}

Presence PresenceLaws::shared(std::vector<bool> target) {
  for (const Presence& known : known_)
    if (*known == target) return known;
  return known_.emplace_back(std::make_shared<const std::vector<bool>>(std::move(target)));
}

Presence PresenceLaws::by(const GridRule& rule, std::uint32_t call, const Instances& instances,
                          const Present& present) {
  const GridLaw& law = study_.grids[rule.grid];
  for (std::size_t i = 0; i < present.size(); ++i) {
    const std::size_t run = instances[i].run;
    for (int rank = 0; rank < study_.sizes[run].ranks; ++rank)
      if (rule.holds(rank, study_.sizes[run].ranks, law.of_run[run], instances[i].turn) !=
          present[i][static_cast<std::size_t>(rank)])
        return nullptr;
  }
  std::vector<bool> target;
  for (int rank = 0; rank < study_.target.ranks; ++rank)
    target.push_back(rule.holds(rank, study_.target.ranks, law.target, study_.sequence.turn(call)));
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

// Ranks in a row, or all others: from one place to another, each fixed, counted from the end, or the begin of a part; or so
// many of them.
std::vector<PresenceLaws::GridRule> PresenceLaws::rules_of_intervals(const std::vector<bool>& present) {
  const int ranks = static_cast<int>(present.size());
  std::vector<int> changes;
  for (int rank = 1; rank < ranks; ++rank)
    if (present[static_cast<std::size_t>(rank)] != present[static_cast<std::size_t>(rank) - 1])
      changes.push_back(rank);
  if (changes.empty() || changes.size() > 2) return {};
  const bool inside = changes.size() == 2 ? !present.front() : present.front();
  if (changes.size() == 1) changes.insert(changes.begin(), 0);
  const std::vector<FixedPlace> starts =
      changes[0] == 0 ? std::vector<FixedPlace>{{}} : readings_of_place(changes[0], ranks);
  std::vector<GridRule> rules;
  for (const FixedPlace& start : starts)
    for (const FixedPlace& stop : readings_of_place(changes[1], ranks))
      rules.push_back({0, [=](int rank, int size, const Grid&, const Turn&) {
                         const std::optional<int> from = start.among(size), to = stop.among(size);
                         return from && to && (*from <= rank && rank < *to) == inside;
                       }});
  for (const FixedPlace& start : starts)
    rules.push_back({0, [=, length = changes[1] - changes[0]](int rank, int size, const Grid&, const Turn&) {
                       const std::optional<int> from = start.among(size);
                       return from && (*from <= rank && rank < *from + length) == inside;
                     }});
  return rules;
}

// One of each group: groups of the same length in all runs, or as many groups in all of them.
std::vector<PresenceLaws::GridRule> PresenceLaws::rules_of_groups(const std::vector<bool>& present) {
  std::vector<int> ranks;
  for (std::size_t rank = 0; rank < present.size(); ++rank)
    if (present[rank]) ranks.push_back(static_cast<int>(rank));
  if (ranks.size() < 2) return {};
  const int all = static_cast<int>(present.size()), place = ranks[0], length = ranks[1] - ranks[0];
  if (place >= length || all % length != 0) return {};
  const auto in_group = [](int rank, int group, int at) { return rank % group == at; };
  std::vector<GridRule> rules = {
      {0, [=](int rank, int, const Grid&, const Turn&) { return in_group(rank, length, place); }}};
  for (const bool from_the_end : {false, true})
    rules.push_back({0, [=, groups = all / length](int rank, int size, const Grid&, const Turn&) {
                       const int group = size / groups;
                       const int at = from_the_end ? group - (length - place) : place;
                       return size % groups == 0 && in_group(rank, group, at);
                     }});
  return rules;
}

Presence PresenceLaws::find(std::uint32_t call, const std::vector<PeerLaw>& messages) {
  if (study_.sequence.ops.empty()) return nullptr;
  const std::uint32_t place = study_.sequence.place(call);
  const Instances instances = study_.sequence.instances(place, study_.runs.size());
  const Present present = recorded(place, instances);
  const auto all = [](const std::vector<bool>& run) { return std::ranges::find(run, false) == run.end(); };
  if (std::ranges::all_of(present, all)) return nullptr;
  for (const auto& [drawn, target] : drawn_)
    if (drawn == present) return shared(target);
  std::vector<GridRule> partners;
  for (const PeerLaw& law : messages)
    partners.push_back({law.grid, [law](int rank, int ranks, const Grid& grid, const Turn& turn) {
                          return law.peer(rank, ranks, grid, turn).has_value();
                        }});
  const std::vector<GridRule> of_groups = rules_of_groups(present.back()),
                              of_intervals = rules_of_intervals(present.back());
  for (const std::vector<GridRule>* rules :
       std::initializer_list<const std::vector<GridRule>*>{&partners, &rules_, &of_groups, &of_intervals})
    for (const GridRule& rule : *rules)
      if (Presence found = by(rule, call, instances, present)) return found;
  // Those of the others that have a partner. Rules without a grid hold in any.
  for (const GridRule& partner : partners)
    for (const GridRule& other : rules_) {
      if (other.grid != 0 && other.grid != partner.grid) continue;
      const GridRule both{partner.grid, [&](int rank, int ranks, const Grid& grid, const Turn& turn) {
                            return partner.holds(rank, ranks, grid, turn) &&
                                   other.holds(rank, ranks, grid, turn);
                          }};
      if (Presence found = by(both, call, instances, present)) return found;
    }
  throw TraceError(study_.sequence.difference);
}

}  // namespace waitdiag

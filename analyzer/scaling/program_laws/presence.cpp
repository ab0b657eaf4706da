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

namespace {

// Some of the ranks of one part, by the place there and the number of its ranks.
using InPart = bool (*)(int at, int length);
constexpr InPart kInPart[] = {
    [](int, int) { return true; },           [](int, int) { return false; },
    [](int at, int) { return at % 2 == 0; }, [](int at, int) { return at % 2 == 1; },
    [](int at, int) { return at == 0; },     [](int at, int length) { return at == length - 1; },
    [](int at, int) { return at != 0; },     [](int at, int length) { return at != length - 1; }};

// Nothing: none of these.
std::optional<InPart> in_part(const std::vector<bool>& present, int from, int length) {
  for (const InPart rule : kInPart) {
    int at = 0;
    while (at < length && rule(at, length) == present[static_cast<std::size_t>(from + at)]) ++at;
    if (at == length) return rule;
  }
  return std::nullopt;
}

}  // namespace

// Each half, quarter or eighth of the ranks has a rule of its own: a finer region and its neighbours, what does not fit a
// power of two.
std::vector<PresenceLaws::GridRule> PresenceLaws::rules_of_parts(const std::vector<bool>& present) {
  constexpr int kShortest = 4;  // of fewer ranks anything is said by chance
  const int ranks = static_cast<int>(present.size());
  std::vector<GridRule> rules;
  for (const int parts : {2, 4, 8}) {
    const int length = ranks / parts;
    if (ranks % parts != 0 || length < kShortest) continue;
    std::vector<InPart> of_part;
    for (int from = 0; from < ranks; from += length)
      if (const auto rule = in_part(present, from, length)) of_part.push_back(*rule);
    if (static_cast<int>(of_part.size()) < parts) continue;
    rules.push_back({0, [=](int rank, int size, const Grid&, const Turn&) {
                       const int own = size / parts;
                       return size % parts == 0 &&
                              of_part[static_cast<std::size_t>(rank / own)](rank % own, own);
                     }});
  }
  return rules;
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
  const std::vector<GridRule> of_groups = rules_of_groups(present.back()),
                              of_intervals = rules_of_intervals(present.back()),
                              of_parts = rules_of_parts(present.back());
  for (const std::vector<GridRule>* rules : {&std::as_const(rules_), &of_groups, &of_intervals, &of_parts})
    for (const GridRule& rule : *rules) {
      const auto of_rule = [&](int rank, std::size_t run, const Turn& turn) {
        return holds(rule, rank, run, turn);
      };
      if (Presence found = by(of_rule, call, instances, present)) return found;
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

}  // namespace waitdiag

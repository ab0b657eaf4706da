// Which ranks make a call that not all of them make.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "analyzer/scaling/rank_laws/drawn_partners.hpp"
#include "analyzer/scaling/rank_laws/peer_law.hpp"

namespace waitdiag {

// By rank of the target; nullptr: all of them.
using Presence = std::shared_ptr<const std::vector<bool>>;

class PresenceLaws {
 public:
  explicit PresenceLaws(const Study& study);
  // `messages`: the laws of the messages that the call posts. The call is made by ranks that have a peer, by
  // the first or last rank, by the ranks at an edge of a grid, by even ranks ... or by all others: the first
  // rule that holds in all runs. Throws TraceError (the first difference between the ranks) if none does.
  // Calls that the same ranks make as this one, whose partners are drawn, are made by those that have partners.
  void add_drawn(std::uint32_t place, const DrawnPartners& partners);
  Presence find(std::uint32_t call, const std::vector<PeerLaw>& messages);
  // Calls of one name that rows, or columns, make in turn: who is next depends on how many there are, in runs with fewer,
  // too. Later found so.
  void add_series(const std::vector<std::uint32_t>& calls);

 private:
  // Does the rank make the call, with this number of ranks, in this grid, in this turn?
  using Rule = std::function<bool(int rank, int ranks, const Grid& grid, const Turn& turn)>;
  struct GridRule {
    std::size_t grid = 0;  // 0: any
    Rule holds{};
  };
  void add(std::size_t grid, const Rule& rule);  // and its opposite
  void add_rules_of_ranks();
  void add_rules_of_places();
  void add_rules_of_edges();
  using Present = std::vector<std::vector<bool>>;  // by instance and rank
  static bool all_make(const Present& present);
  struct CallOfSeries;
  bool add_turns(const std::vector<CallOfSeries>& series, std::size_t grid, std::size_t dimension, int each);
  Present recorded(std::uint32_t place, const Instances& instances) const;
  Presence shared(std::vector<bool> target);

  static constexpr std::size_t kTarget = SIZE_MAX;  // instead of a run
  // Does the rank of this run make the call, in this turn?
  using Holds = std::function<bool(int rank, std::size_t run, const Turn& turn)>;
  bool holds(const GridRule& rule, int rank, std::size_t run, const Turn& turn) const;
  std::optional<int> peer(const PeerLaw& law, int rank, std::size_t run, const Turn& turn) const;
  // The presence by this rule, if it holds in all runs.
  Presence by(const Holds& holds, std::uint32_t call, const Instances& instances, const Present& present);

  const Study& study_;
  std::vector<GridRule> rules_;
  std::vector<std::pair<Present, std::vector<bool>>> drawn_;  // in the runs and in the target
  std::vector<Presence> known_;
  std::map<std::uint32_t, Presence> in_turn_;  // calls of series
};

// By rank: the number of the last of its own calls in each loop, where that has so many iterations. `presence`: by call.
std::vector<std::vector<std::uint32_t>> last_loop_calls(const std::vector<CallLoop>& loops,
                                                        const std::vector<Presence>& presence,
                                                        std::size_t ranks, std::uint32_t iterations);

}  // namespace waitdiag

// The run re-timed as retime.hpp does, where waiting for others has no order of its own: a server takes whichever
// message comes first (services.hpp), and an access to a window goes on when its target is in MPI, whichever call that
// is. The calls of all locations are followed in the order of time.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

#include "analyzer/diagnosis/retiming/retime.hpp"
#include "analyzer/diagnosis/serving/access_targets.hpp"
#include "analyzer/diagnosis/serving/services.hpp"
#include "analyzer/trace/model/ranked_bits.hpp"

namespace waitdiag {

class ServedRun {
 public:
  using Node = WaitForGraph::Node;

  // Of the run: to know what could be in another order takes memory.
  static constexpr std::size_t kMostCalls = 4'000'000;

  // All of them must outlive this.
  ServedRun(const Trace& trace, const SyncPoints& sync, const WaitStates& states,
            const Dependencies& dependencies, std::size_t most_calls = kMostCalls);

  // Is there anything without an order? Otherwise retime() says the same, and faster.
  bool any() const { return any_; }
  // When the run ends with this change. Nothing: the unchanged run would not end as it did, or locations wait for each
  // other for ever.
  std::optional<Time> end(const Change& change) const;
  const std::vector<std::vector<Services>>& services() const { return services_; }

  // For those who follow the run.
  const Trace& trace() const { return trace_; }
  const Dependencies& dependencies() const { return dependencies_; }
  // The joins that wait for a call or another join.
  std::span<const Node> joins_of(Node node) const {
    return std::span(joins_).subspan(first_join_[node], first_join_[node + 1] - first_join_[node]);
  }
  // A service that needs the message of a call.
  struct Need {
    Node sent = 0;
    std::uint32_t server = 0, services = 0, service = 0;
  };
  std::span<const Need> needed_by(Node sent) const;
  // The targets that each have to be in MPI for this call to go on.
  std::span<const Location> targets_of(Node call) const {
    const auto found = accesses_.find(call);
    return found == accesses_.end() ? std::span<const Location>() : found->second.targets;
  }
  Duration own(Node call) const {
    const auto found = accesses_.find(call);
    return found == accesses_.end() ? dependencies_.own(call) : found->second.own;
  }

 private:
  void find_joins();
  void find_needs();
  std::optional<Time> follow(const Change& change) const;

  const Trace& trace_;
  const Dependencies& dependencies_;
  std::vector<std::vector<Services>> services_;  // by location
  std::vector<std::uint32_t> first_join_;        // by node, and one more
  std::vector<Node> joins_;
  std::vector<Need> needs_;  // by call
  RankedBits is_needed_;     // by call
  std::unordered_map<Node, AccessNeeds> accesses_;
  bool any_ = false;
  std::optional<Time> unchanged_;
};

}  // namespace waitdiag

// What every call of the recorded run had to wait for, and how long it took beyond that:
//
//   leave = max(enter, enters of the calls it waits for) + own
//
// The own time of a call is that of the call itself and of moving its data.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <unordered_map>
#include <vector>

#include "analyzer/diagnosis/detection/wait_states.hpp"
#include "analyzer/trace/model/ranked_bits.hpp"
#include "analyzer/trace/wait_for_graph/wait_for_graph.hpp"

namespace waitdiag {

// Nodes of calls whose enter times other calls need.
RankedBits needed_calls(const WaitForGraph& graph);

class Dependencies {
 public:
  using Node = WaitForGraph::Node;

  // `without`: waits of these patterns do not hold up calls.
  Dependencies(const Trace& trace, const SyncPoints& sync, const WaitStates& states,
               std::span<const PatternId> without = {});

  const WaitForGraph& graph() const { return graph_; }

  Duration own(Node call) const {
    const std::uint32_t own = own_->nanoseconds[call];
    return own == OwnTimes::kLong ? own_->longer.at(call) : Duration(own);
  }
  // Takes over the own times of the same calls with other dependencies. Those that ended before what they wait for
  // there, but not here, take no time.
  void own_as_in(const Dependencies& other);
  // Where the waiting of a call ended and, if it waited for another call at that time, for which.
  struct Release {
    Time time{};
    OpRef by{};
  };
  Release release_of(OpRef call) const;
  // Was one of the calls that it waits for entered after this instant? With own times that are its own.
  bool needs_after(OpRef call, Time instant) const;

 private:
  void find_own_times(const WaitStates& states);
  std::vector<OpRef> rows_cut_short(const WaitStates& states) const;
  // Own times in 32 bits where possible: nearly all are short, so they take half the memory.
  struct OwnTimes {
    static constexpr std::uint32_t kLong = ~std::uint32_t{0};
    std::shared_ptr<std::uint32_t[]> nanoseconds;  // by call
    std::unordered_map<Node, Duration> longer{};
  };
  OpRef released_by(Node on) const { return graph_.call(graph_.is_call(on) ? on : graph_.last_of(on)); }

  const Trace& trace_;
  WaitForGraph graph_;
  std::shared_ptr<const OwnTimes> own_;
};

}  // namespace waitdiag

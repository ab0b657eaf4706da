// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/delay/wait_order.hpp"

#include <algorithm>
#include <numeric>
#include <tuple>
#include <unordered_map>

namespace waitdiag {
namespace {

// Where the waiting ended: when the cause came, at the latest when the call was left (clocks that disagree).
Time wait_end(const Trace& trace, const WaitState& wait) {
  return std::min(trace.enter(wait.cause), trace.leave(wait.victim));
}

// Waits that end at the same instant can still depend on each other: a message passed on in no time. The
// longer the chain of such waits behind a wait, the earlier its turn.
class SameInstant {
 public:
  SameInstant(const WaitStates& states, std::span<std::uint32_t> group) : states_(states) {
    for (const std::uint32_t i : group) by_location_.emplace(states.waits[i].victim.location, i);
    std::unordered_map<std::uint32_t, std::size_t> chain;
    for (const std::uint32_t i : group) chain[i] = chain_behind(i, group.size());
    std::stable_sort(group.begin(), group.end(),
                     [&](std::uint32_t a, std::uint32_t b) { return chain[a] > chain[b]; });
  }

 private:
  std::size_t chain_behind(std::uint32_t i, std::size_t most) const {
    std::size_t length = 0;
    for (; length < most; ++length) {
      const OpRef cause = states_.waits[i].cause;
      const auto found = by_location_.find(cause.location);
      if (found == by_location_.end() || states_.waits[found->second].victim.op >= cause.op) break;
      i = found->second;
    }
    return length;
  }

  const WaitStates& states_;
  std::unordered_map<Location, std::uint32_t> by_location_;
};

}  // namespace

std::vector<std::uint32_t> latest_first(const Trace& trace, const WaitStates& states,
                                        const std::vector<SyncInterval>& intervals) {
  std::vector<Time> end;
  end.reserve(states.waits.size());
  for (const WaitState& wait : states.waits) end.push_back(wait_end(trace, wait));
  std::vector<std::uint32_t> order(states.waits.size());
  std::iota(order.begin(), order.end(), 0u);
  const auto start = [&](std::uint32_t i) { return intervals[i].cause.start + 1; };  // kNoOp + 1 == 0
  std::sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
    return std::tuple(end[b], states.waits[a].cause, start(b), b) <
           std::tuple(end[a], states.waits[b].cause, start(a), a);
  });
  for (std::size_t first = 0, last = 0; first < order.size(); first = last) {
    bool one_cause = true;
    for (; last < order.size() && end[order[last]] == end[order[first]]; ++last) {
      one_cause = one_cause && states.waits[order[last]].cause == states.waits[order[first]].cause;
    }
    if (!one_cause) SameInstant(states, std::span(order).subspan(first, last - first));
  }
  return order;
}

}  // namespace waitdiag

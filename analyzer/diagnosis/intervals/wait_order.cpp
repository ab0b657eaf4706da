// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/diagnosis/intervals/wait_order.hpp"

#include <algorithm>
#include <tuple>
#include <unordered_map>

#include "analyzer/trace/model/fetch.hpp"
#include "analyzer/trace/parallel/sort.hpp"

namespace waitdiag {
namespace {

// When the waiting ended: when the cause came, but no later than when the call was left (clocks may
// disagree).
Time wait_end(const Trace& trace, const WaitState& wait) {
  return std::min(trace.enter(wait.cause), trace.leave(wait.victim));
}

// Waits that end at the same instant can still depend on each other: a message passed on at once. The longer
// the chain of such waits that follow a wait, the earlier its turn.
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

// Several waits of one call are settled last to first, like all waits of a location: what comes behind the
// call was late because of all of them.
void order_within_calls(const WaitStates& states, std::vector<std::uint32_t>& order) {
  const auto same_call = [&](std::uint32_t a, std::uint32_t b) {
    return a < states.waits.size() && b < states.waits.size() &&
           states.waits[a].victim == states.waits[b].victim;
  };
  if (std::ranges::adjacent_find(states.waits, {}, &WaitState::victim) == states.waits.end()) return;
  std::unordered_map<std::uint32_t, std::vector<std::size_t>> places;  // by the first wait of a call
  for (std::size_t place = 0; place < order.size(); ++place) {
    std::uint32_t first = order[place];
    if (!same_call(first, first + 1) && !same_call(first, first - 1)) continue;
    while (same_call(first, first - 1)) --first;
    places[first].push_back(place);
  }
  for (const auto& [first, of_call] : places) {
    std::uint32_t wait = first + static_cast<std::uint32_t>(of_call.size());
    for (const std::size_t place : of_call) order[place] = --wait;
  }
}

}  // namespace

std::vector<std::uint32_t> latest_first(const Trace& trace, const WaitStates& states,
                                        const std::vector<SyncInterval>& intervals) {
  const auto ends_later = [&](std::uint32_t wait) {
    return -wait_end(trace, states.waits[wait]).time_since_epoch().count();
  };
  // Of those that end at the same instant, the shortest interval of a cause first.
  const auto is_before = [&](std::uint32_t a, std::uint32_t b) {
    const auto rank = [&](std::uint32_t wait, std::uint32_t other) {
      // kNoOp + 1 == 0: at the begin of the timeline.
      return std::tuple(states.waits[wait].cause, intervals[other].cause.start + 1, other);
    };
    return rank(a, b) < rank(b, a);
  };
  const auto expect = [&](std::uint32_t wait) {
    fetch(&states.waits[wait]);
    fetch(&intervals[wait]);
  };
  const std::vector<KeyedNumber> ends =
      sorted_in_parallel(states.waits.size(), ends_later, is_before, expect);
  std::vector<std::uint32_t> order = numbers_of(ends);
  for (std::size_t first = 0, last = 0; first < order.size(); first = last) {
    bool one_cause = true;
    for (++last; last < ends.size() && ends[last].key() == ends[first].key(); ++last)
      one_cause = one_cause && states.waits[order[last]].cause == states.waits[order[first]].cause;
    if (!one_cause) SameInstant(states, std::span(order).subspan(first, last - first));
  }
  order_within_calls(states, order);
  return order;
}

}  // namespace waitdiag

// Waits that one cause or another had a part in, in the order of what they waited for.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "analyzer/diagnosis/intervals/sync_intervals.hpp"
#include "analyzer/diagnosis/repairs/cause_places.hpp"
#include "analyzer/trace/model/fetch.hpp"
#include "analyzer/trace/parallel/sort.hpp"

namespace waitdiag {

// What is waited for: one collective operation, or one call by one wait.
struct WaitedEvent {
  OpRef cause{};
  std::uint32_t number = 0;
  friend auto operator<=>(const WaitedEvent&, const WaitedEvent&) = default;
};
inline WaitedEvent event_of(const WaitStates& states, std::uint32_t number) {
  const WaitState& wait = states.waits[number];
  return {wait.cause, all_wait_for_all(pattern(wait.pattern).at) ? wait.sync : kNoOp - number};
}

inline std::vector<std::uint32_t> in_groups(const Trace& trace, const WaitStates& states,
                                            const std::vector<SyncInterval>& intervals,
                                            const CausePlaces& places) {
  const auto came = [&](std::uint32_t i) {
    const WaitState& wait = states.waits[i];
    return places.any(places.stretch(wait.cause, intervals[i].cause))
               ? trace.enter(wait.cause).time_since_epoch().count()
               : kLeftOut;
  };
  const auto is_before = [&](std::uint32_t a, std::uint32_t b) {
    return std::pair(event_of(states, a), a) < std::pair(event_of(states, b), b);
  };
  const auto expect = [&](std::uint32_t i) { fetch(&states.waits[i]); };
  return numbers_of(sorted_in_parallel(states.waits.size(), came, is_before, expect));
}

// Where pieces of the order begin, and where the last one ends; all waits for one event are in the same. What
// was asked for is known within a piece, and neighbouring waits ask for much the same: each location should have
// many in it.
inline std::vector<std::size_t> in_pieces(const WaitStates& states, const std::vector<std::uint32_t>& order,
                                          std::size_t locations, std::size_t pieces_of_many) {
  constexpr std::size_t kFewest = 1024, kMostOfLocation = 64;  // waits of a piece
  const std::size_t fewest = std::max(kFewest, locations),
                    most = std::max(fewest, kMostOfLocation * locations);
  const std::size_t waits = std::clamp(order.size() / pieces_of_many, fewest, most);
  std::vector<std::size_t> begins;
  for (std::size_t i = 0; i < order.size(); i += waits) {
    std::size_t begin = i;
    while (begin > 0 && begin < order.size() &&
           event_of(states, order[begin]) == event_of(states, order[begin - 1]))
      ++begin;
    begins.push_back(begin);
  }
  begins.push_back(order.size());
  return begins;
}

// The interval of a member of a group: that of its own wait, if it waited; otherwise it begins with that of the
// one waited for.
inline IntervalSide side_of(const Trace& trace, const WaitStates& states,
                            const std::vector<SyncInterval>& intervals, OpRef call,
                            std::span<const std::uint32_t> group, Time begin) {
  const auto own = std::ranges::lower_bound(group, call, {},
                                            [&](std::uint32_t wait) { return states.waits[wait].victim; });
  const bool waited = own != group.end() && states.waits[*own].victim == call;
  if (waited) return intervals[*own].victim;
  const Timeline& timeline = trace.timeline(call.location);
  return side_behind(timeline, begin, static_cast<std::uint32_t>(timeline.size()), call.op);
}

// Fetches the waits of the next groups, which lie anywhere in memory, while others are repaired.
inline void expect(const WaitStates& states, const std::vector<SyncInterval>& intervals,
                   std::span<const std::uint32_t> next, std::size_t count) {
  constexpr std::size_t kAhead = 16;
  for (std::size_t i = kAhead; i < std::min(next.size(), kAhead + count); ++i) {
    fetch(&states.waits[next[i]]);
    fetch(&intervals[next[i]]);
  }
}

}  // namespace waitdiag

// Waits that one cause or another had a part in, in the order of what they waited for.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "analyzer/diagnosis/intervals/sync_intervals.hpp"
#include "analyzer/diagnosis/retiming/cause_places.hpp"
#include "analyzer/trace/model/fetch.hpp"
#include "analyzer/trace/parallel/parallel.hpp"
#include "analyzer/trace/parallel/sort.hpp"

namespace waitdiag {

// A wait among those in order. There may be one for each wait, so it is kept small: what else tells waits apart is in
// these.
class Grouped {
 public:
  Grouped() = default;
  Grouped(Time cause_enter, std::uint32_t number)
      : wait(number), enter_(std::bit_cast<std::array<std::uint32_t, 2>>(cause_enter)) {}
  Time cause_enter() const { return std::bit_cast<Time>(enter_); }

  std::uint32_t wait = kNoOp;

 private:
  std::array<std::uint32_t, 2> enter_{};
};

// What is waited for: one collective operation, or one call by one wait.
struct WaitedEvent {
  OpRef cause{};
  std::uint32_t number = 0;
  friend auto operator<=>(const WaitedEvent&, const WaitedEvent&) = default;
};
inline WaitedEvent event_of(const WaitStates& states, const Grouped& grouped) {
  const WaitState& wait = states.waits[grouped.wait];
  return {wait.cause, all_wait_for_all(pattern(wait.pattern).at) ? wait.sync : kNoOp - grouped.wait};
}

inline std::vector<Grouped> in_groups(const Trace& trace, const WaitStates& states,
                                      const std::vector<SyncInterval>& intervals, const CausePlaces& places) {
  std::vector<Grouped> order(states.waits.size());
  for_each_block(order.size(), [&](std::size_t first, std::size_t last) {
    for (auto i = static_cast<std::uint32_t>(first); i < last; ++i) {
      const WaitState& wait = states.waits[i];
      if (!places.any(places.stretch(wait.cause, intervals[i].cause))) continue;
      order[i] = {trace.enter(wait.cause), i};
    }
  });
  std::erase_if(order, [](const Grouped& grouped) { return grouped.wait == kNoOp; });
  const auto is_before = [&](const Grouped& a, const Grouped& b) {
    if (a.cause_enter() != b.cause_enter()) return a.cause_enter() < b.cause_enter();
    return std::pair(event_of(states, a), a.wait) < std::pair(event_of(states, b), b.wait);
  };
  sort_in_parallel(
      order, [](const Grouped& grouped) { return grouped.cause_enter().time_since_epoch().count(); },
      is_before);
  return order;
}

// Where pieces of the order begin, and where the last one ends; all waits for one event are in the same. What
// was asked for is known within a piece, and neighbouring waits ask for much the same: each location should have
// many in it.
inline std::vector<std::size_t> in_pieces(const WaitStates& states, const std::vector<Grouped>& order,
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

// Fetches the waits of the next groups, which lie anywhere in memory, while others are repaired.
inline void expect(const WaitStates& states, const std::vector<SyncInterval>& intervals,
                   std::span<const Grouped> next, std::size_t count) {
  constexpr std::size_t kAhead = 16;
  for (std::size_t i = kAhead; i < std::min(next.size(), kAhead + count); ++i) {
    fetch(&states.waits[next[i].wait]);
    fetch(&intervals[next[i].wait]);
  }
}

}  // namespace waitdiag

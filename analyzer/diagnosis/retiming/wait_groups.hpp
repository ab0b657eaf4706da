// Waits that one cause or another had a part in, in the order of what they waited for.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <compare>
#include <cstdint>
#include <functional>
#include <vector>

#include "analyzer/diagnosis/intervals/sync_intervals.hpp"
#include "analyzer/diagnosis/retiming/cause_places.hpp"
#include "analyzer/trace/parallel/parallel.hpp"
#include "analyzer/trace/parallel/sort.hpp"

namespace waitdiag {

// Waits for the same event: of one collective operation, or one by itself.
struct Grouped {
  Time cause_enter{};
  OpRef cause{};
  std::uint32_t event = 0, wait = 0;
  friend auto operator<=>(const Grouped&, const Grouped&) = default;
  bool same_event(const Grouped& other) const { return cause == other.cause && event == other.event; }
};

inline std::vector<Grouped> in_groups(const Trace& trace, const WaitStates& states,
                                      const std::vector<SyncInterval>& intervals, const CausePlaces& places) {
  std::vector<Grouped> order(states.waits.size());
  for_each_block(order.size(), [&](std::size_t first, std::size_t last) {
    for (auto i = static_cast<std::uint32_t>(first); i < last; ++i) {
      const WaitState& wait = states.waits[i];
      if (!places.any(places.stretch(wait.cause, intervals[i].cause))) continue;
      const bool all = all_wait_for_all(pattern(wait.pattern).at);
      order[i] = {trace.enter(wait.cause), wait.cause, all ? wait.sync : kNoOp - i, i};
    }
  });
  std::erase_if(order, [](const Grouped& wait) { return !wait.cause.valid(); });
  sort_in_parallel(
      order, [](const Grouped& wait) { return wait.cause_enter.time_since_epoch().count(); }, std::less<>());
  return order;
}

}  // namespace waitdiag

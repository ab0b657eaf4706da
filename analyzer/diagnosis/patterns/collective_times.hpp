// Who came last, who came first, who left first: the three questions that collective rules ask.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <optional>

#include "analyzer/diagnosis/patterns/wait_pattern.hpp"

namespace waitdiag {

// The participant that `better` prefers among those for which `counts` is true; the lowest one on a tie.
template <typename Counts, typename Better>
std::optional<std::uint32_t> best_participant(const CollectiveView& view, Counts counts, Better better) {
  std::optional<std::uint32_t> best;
  for (std::uint32_t i = 0; i < view.participants.size(); ++i) {
    if (!counts(i)) continue;
    if (!best || better(view.participants[i], view.participants[*best])) best = i;
  }
  return best;
}

template <typename Counts>
std::optional<std::uint32_t> last_to_begin(const CollectiveView& view, Counts counts) {
  return best_participant(view, counts,
                          [](const Participant& a, const Participant& b) { return a.begin > b.begin; });
}
template <typename Counts>
std::optional<std::uint32_t> first_to_begin(const CollectiveView& view, Counts counts) {
  return best_participant(view, counts,
                          [](const Participant& a, const Participant& b) { return a.begin < b.begin; });
}
template <typename Counts>
std::optional<std::uint32_t> first_to_end(const CollectiveView& view, Counts counts) {
  return best_participant(view, counts,
                          [](const Participant& a, const Participant& b) { return a.end < b.end; });
}

// How long `me` was inside before `other` came; never longer than the call itself.
inline Duration waited_for(const Participant& me, const Participant& other) {
  return std::min(other.begin, me.end) - me.waits_from;
}

// All members for which `waits` is true wait for the last one for which `sends` is true. The common rule of
// all-to-all operations.
template <typename Sends, typename Waits>
void wait_for_last(const CollectiveView& view, Sends sends, Waits waits, std::vector<CollectiveWait>& found) {
  const auto last = last_to_begin(view, sends);
  if (!last) return;
  for (std::uint32_t me = 0; me < view.participants.size(); ++me) {
    if (me == *last || !waits(me)) continue;
    found.push_back({me, *last, waited_for(view.participants[me], view.participants[*last])});
  }
}

// The rule of operations that need not synchronise, but usually do: it holds if no member left before the
// last one came.
inline void wait_where_all_met(const CollectiveView& view, std::vector<CollectiveWait>& found) {
  const auto everybody = [](std::uint32_t) { return true; };
  const auto first = first_to_end(view, everybody), last = last_to_begin(view, everybody);
  if (!first || view.participants[*first].end <= view.participants[*last].begin) return;
  wait_for_last(view, everybody, everybody, found);
}

// Every member waits for the last of those that it gets data from.
inline void wait_for_last_source(const CollectiveView& view, std::vector<CollectiveWait>& found) {
  for (std::uint32_t me = 0; me < view.participants.size(); ++me) {
    const Participant& mine = view.participants[me];
    std::uint32_t last = me;
    for (const PeerRun& run : mine.sources.runs) {
      for (std::uint32_t i = mine.sources.first + run.first; i <= mine.sources.first + run.last; ++i) {
        if (last == me || view.participants[i].begin > view.participants[last].begin) last = i;
      }
    }
    if (last != me) found.push_back({me, last, waited_for(mine, view.participants[last])});
  }
}

// How much longer the call took after all had come and the first had left.
template <typename Counts, typename Arrivals>
void completion_after_first(const CollectiveView& view, Counts counts, Arrivals arrivals,
                            std::vector<CollectiveWait>& found) {
  const auto first = first_to_end(view, counts);
  const auto last = last_to_begin(view, arrivals);
  if (!first || !last) return;
  const Time complete = std::max(view.participants[*first].end, view.participants[*last].begin);
  for (std::uint32_t me = 0; me < view.participants.size(); ++me) {
    if (counts(me)) found.push_back({me, *last, view.participants[me].end - complete});
  }
}

}  // namespace waitdiag

// Who came last, who came first, who left first: the three questions that collective rules ask.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <optional>

#include "analyzer/diagnosis/patterns/latest_of_range.hpp"
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

// Calls visit(first, last) for the members [first, last) that `me` gets data from, itself excepted.
template <typename Visit>
void for_each_run_of_others(const CollectiveView& view, std::uint32_t me, Visit visit) {
  const Sources& sources = view.participants[me].sources;
  for (const PeerRun& run : sources.runs) {
    const std::uint32_t first = sources.first + run.first, last = sources.first + run.last + 1;
    const bool inside = first <= me && me < last;
    if (const std::uint32_t end = inside ? me : last; first < end) visit(first, end);
    if (inside && me + 1 < last) visit(me + 1, last);
  }
}

// Every member waits for the last of those that it gets data from.
inline void wait_for_last_source(const CollectiveView& view, std::vector<CollectiveWait>& found) {
  constexpr std::size_t kMany = 32;  // sources of a member, on average: then one walk for all members is less
  std::size_t sources = 0;
  const auto members = static_cast<std::uint32_t>(view.participants.size());
  for (std::uint32_t me = 0; me < members; ++me)
    for_each_run_of_others(view, me,
                           [&](std::uint32_t first, std::uint32_t last) { sources += last - first; });
  const auto find_all = [&](auto latest_of) {
    for (std::uint32_t me = 0; me < members; ++me) {
      std::optional<std::uint32_t> last;
      for_each_run_of_others(view, me, [&](std::uint32_t first, std::uint32_t end) {
        const std::uint32_t latest = latest_of(first, end);
        if (!last || view.participants[latest].begin > view.participants[*last].begin) last = latest;
      });
      if (last) found.push_back({me, *last, waited_for(view.participants[me], view.participants[*last])});
    }
  };
  if (sources > kMany * members)
    return find_all([ranges = LatestOfRange(view.participants)](std::uint32_t first, std::uint32_t end) {
      return ranges.of(first, end);
    });
  find_all([&](std::uint32_t first, std::uint32_t end) {
    std::uint32_t latest = first;
    while (++first < end)
      if (view.participants[first].begin > view.participants[latest].begin) latest = first;
    return latest;
  });
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

// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/page/selection.hpp"

#include <algorithm>
#include <cmath>
#include <string>

#include "analyzer/model/trace_error.hpp"

namespace waitdiag {
namespace {

constexpr std::size_t kStretches = 1024;  // the run in equal parts, to look for the worst

std::string in_seconds(Duration duration) {
  return std::to_string(seconds(duration)) + " s";
}

void take_window(const Trace& trace, const PageLimits& limits, PageSelection& selection) {
  const auto point = [&](double seconds_since_begin) {
    const double run = seconds(trace.end() - trace.begin());
    return trace.begin() + Duration(std::llround(std::clamp(seconds_since_begin, 0.0, run) * 1e9));
  };
  selection.begin = limits.from_s ? point(*limits.from_s) : trace.begin();
  selection.end = limits.to_s ? point(*limits.to_s) : trace.end();
  if (selection.begin < selection.end || trace.begin() == trace.end()) return;
  throw TraceError("no time of the run lies in the window: it takes " +
                   in_seconds(trace.end() - trace.begin()) + "; give --window a part of that");
}

void take_ranks(const Trace& trace, const PageLimits& limits, PageSelection& selection) {
  selection.lane_of.assign(trace.locations().size(), PageSelection::kNoLane);
  for (std::size_t i = 0; i < trace.locations().size(); ++i) {
    const auto rank = static_cast<std::int64_t>(trace.locations()[i].rank);
    if (rank < limits.first_rank.value_or(0) || rank > limits.last_rank.value_or(rank)) continue;
    if (trace.timelines()[i].end() > trace.timelines()[i].begin())
      selection.lanes.push_back({.location = Location(i)});
  }
  if (selection.lanes.empty())
    throw TraceError("none of the ranks asked for is in the run: it has ranks 0 to " +
                     std::to_string(trace.ranks() - 1) + "; give --ranks some of them");
  std::sort(selection.lanes.begin(), selection.lanes.end(), [&](const auto& a, const auto& b) {
    const LocationInfo &x = trace.locations()[index(a.location)], &y = trace.locations()[index(b.location)];
    return std::pair(x.rank, x.thread) < std::pair(y.rank, y.thread);
  });
  for (std::size_t lane = 0; lane < selection.lanes.size(); ++lane)
    selection.lane_of[index(selection.lanes[lane].location)] = static_cast<std::uint32_t>(lane);
}

// Operations that touch the window.
void take_operations(const Trace& trace, PageSelection& selection) {
  selection.operations = 0;
  for (PageSelection::Lane& lane : selection.lanes) {
    const Timeline& timeline = trace.timeline(lane.location);
    const auto size = static_cast<std::uint32_t>(timeline.size());
    const auto first_where = [size](auto holds) {
      std::uint32_t low = 0, high = size;
      while (low < high) {
        const std::uint32_t middle = low + (high - low) / 2;
        if (holds(middle)) {
          high = middle;
        } else {
          low = middle + 1;
        }
      }
      return low;
    };
    lane.first_op = first_where([&](std::uint32_t op) { return timeline.leave(op) >= selection.begin; });
    lane.last_op = first_where([&](std::uint32_t op) { return timeline.enter(op) > selection.end; });
    lane.last_op = std::max(lane.first_op, lane.last_op);
    selection.operations += lane.last_op - lane.first_op;
  }
}

// The stretch with most waiting among those with few enough operations.
void shorten(const Trace& trace, const WaitStates& states, std::uint64_t most, PageSelection& selection) {
  std::vector<std::uint64_t> operations(kStretches), waiting(kStretches);
  const Duration length = (selection.end - selection.begin) / kStretches + Duration(1);
  const auto stretch = [&](Time time) {
    return static_cast<std::size_t>(
        std::clamp<std::int64_t>((time - selection.begin) / length, 0, kStretches - 1));
  };
  for (const PageSelection::Lane& lane : selection.lanes) {
    const Timeline& timeline = trace.timeline(lane.location);
    for (std::uint32_t op = lane.first_op; op < lane.last_op; ++op) ++operations[stretch(timeline.enter(op))];
    for (const WaitState& wait : states.waits_of(lane.location))
      waiting[stretch(trace.enter(wait.victim))] += static_cast<std::uint64_t>(wait.wait.count());
  }
  std::size_t first = 0, best_first = 0, best_last = 0;
  std::uint64_t inside = 0, waited = 0, most_waited = 0;
  for (std::size_t last = 0; last < kStretches; ++last) {
    inside += operations[last];
    waited += waiting[last];
    for (; inside > most && first <= last; ++first) {
      inside -= operations[first];
      waited -= waiting[first];
    }
    if (waited < most_waited || first > last) continue;
    most_waited = waited;
    best_first = first;
    best_last = last;
  }
  const Time begin = selection.begin;
  selection.begin = begin + length * static_cast<std::int64_t>(best_first);
  selection.end = std::min(selection.end, begin + length * static_cast<std::int64_t>(best_last + 1));
  selection.shortened = true;
}

}  // namespace

PageSelection select_for_page(const Trace& trace, const WaitStates& states, const PageLimits& limits) {
  PageSelection selection;
  take_window(trace, limits, selection);
  take_ranks(trace, limits, selection);
  for (const Timeline& timeline : trace.timelines()) selection.operations_in_all += timeline.size();
  take_operations(trace, selection);
  if (selection.operations > limits.most_operations) {
    shorten(trace, states, limits.most_operations, selection);
    take_operations(trace, selection);
  }
  return selection;
}

}  // namespace waitdiag

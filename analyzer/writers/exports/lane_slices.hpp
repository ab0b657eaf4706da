// What one thread does, as nested slices of time: calls, what runs between them, and the waits in calls.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>

#include "analyzer/writers/exports/call_sums.hpp"
#include "analyzer/writers/page/gap_paths.hpp"

namespace waitdiag {

struct LaneWait {
  Time begin{}, end{};
  const WaitState* wait = nullptr;
  WaitCulprit culprit{};
};

// Calls, in time order, gap(begin, end, call path that took most of it) and call(op, begin, end, waits) for
// everything of a lane that lies in the window, cut off at its edges. The waits of a call are placed one
// after the other from its begin on: where in the call they were is not always known.
template <typename Gap, typename Call>
void for_each_slice(const ExportView& view, const PageSelection::Lane& lane, Gap gap, Call call) {
  const Timeline& timeline = view.trace.timeline(lane.location);
  const PageSelection& selection = view.selection;
  const auto clip = [&](Time time) { return std::clamp(time, selection.begin, selection.end); };
  GapPaths paths(view.diagnosis.by_call_path.activities, view.diagnosis.compared().activities);
  const auto waits = view.diagnosis.states.waits_of(lane.location);
  auto wait = std::lower_bound(waits.begin(), waits.end(), lane.first_op,
                               [](const WaitState& state, std::uint32_t op) { return state.victim.op < op; });
  std::vector<LaneWait> here;
  for (std::uint32_t op = lane.first_op; op <= lane.last_op; ++op) {
    const Time begin = clip(timeline.gap_begin(op)), end = clip(timeline.gap_end(op));
    if (begin < end) gap(begin, end, paths.longest(lane.location, op));
    if (op == lane.last_op) break;
    const Time enter = clip(timeline.enter(op)), leave = clip(timeline.leave(op));
    here.clear();
    Time from = timeline.enter(op);
    for (; wait != waits.end() && wait->victim.op == op; ++wait) {
      if (!is_shown(view, *wait)) continue;
      const Time until = std::min(from + wait->wait, timeline.leave(op));
      const auto number = static_cast<std::size_t>(&*wait - view.diagnosis.states.waits.data());
      if (clip(from) < clip(until))
        here.push_back({clip(from), clip(until), &*wait, view.diagnosis.costs.culprits[number]});
      from = until;
    }
    call(op, enter, leave, here);
  }
}

}  // namespace waitdiag

// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/steps/steps.hpp"

#include <algorithm>

#include "analyzer/steps/step_loops.hpp"

namespace waitdiag {
namespace {

// A gap that a mark cuts belongs to the step in which its longer part lies.
std::uint32_t first_gap_of(const Timeline& timeline, const StepMark& mark) {
  const Time begin = timeline.gap_begin(mark.op), end = timeline.gap_end(mark.op);
  return mark.time - begin <= end - mark.time ? mark.op : mark.op + 1;
}

Steps marked_steps(const Trace& trace) {
  std::uint32_t count = 0;
  std::vector<std::vector<std::uint32_t>> first_gap(trace.timelines().size());
  for (std::size_t l = 0; l < first_gap.size(); ++l) {
    const Timeline& timeline = trace.timelines()[l];
    for (const StepMark& mark : timeline.step_marks()) first_gap[l].push_back(first_gap_of(timeline, mark));
    if (first_gap[l].empty()) continue;
    count = std::max(count, static_cast<std::uint32_t>(first_gap[l].size()));
    first_gap[l].push_back(static_cast<std::uint32_t>(timeline.gaps()));
  }
  if (count == 0) return {};
  return {StepSource::Marks, count, std::move(first_gap)};
}

}  // namespace

Steps find_steps(const Trace& trace) {
  Steps marked = marked_steps(trace);
  return marked.count() > 0 ? marked : repeating_steps(trace);
}

}  // namespace waitdiag

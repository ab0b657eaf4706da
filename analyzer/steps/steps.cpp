// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/steps/steps.hpp"

#include <algorithm>
#include <utility>

#include "analyzer/steps/step_loops.hpp"

namespace waitdiag {
namespace {

Steps marked_steps(const Trace& trace) {
  std::uint32_t count = 0;
  std::vector<std::vector<StepBegin>> begins(trace.timelines().size());
  for (std::size_t l = 0; l < begins.size(); ++l) {
    const Timeline& timeline = trace.timelines()[l];
    const auto marks = static_cast<std::uint32_t>(timeline.step_marks().size());
    if (marks == 0) continue;
    for (std::uint32_t mark = 0; mark < marks; ++mark)
      begins[l].push_back({timeline.step_marks()[mark].op, mark});
    count = std::max(count, marks);
    begins[l].push_back({static_cast<std::uint32_t>(timeline.gaps())});
  }
  if (count == 0) return {};
  return {StepSource::Marks, count, std::move(begins)};
}

}  // namespace

Steps find_steps(const Trace& trace) {
  Steps marked = marked_steps(trace);
  return marked.count() > 0 ? marked : repeating_steps(trace);
}

}  // namespace waitdiag

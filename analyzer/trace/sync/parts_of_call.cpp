// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/trace/sync/parts_of_call.hpp"

#include <algorithm>
#include <utility>

#include "analyzer/trace/model/joined_calls.hpp"

namespace waitdiag {

class Retiming::JoiningParts {
 public:
  static Trace run(Trace trace) {
    for (std::uint32_t l = 0; l < trace.timelines_.size(); ++l) join(trace, Location(l));
    return trace;
  }

 private:
  // By operation, or by gap, and one more: its number afterwards.
  struct Numbers {
    std::vector<std::uint32_t> calls, gaps;
  };

  static std::vector<std::uint32_t> parts_of(const Trace& trace, Location location) {
    const Timeline& timeline = trace.timeline(location);
    std::vector<std::uint32_t> found;
    for (std::uint32_t i = 0; i < timeline.collectives().size(); ++i) {
      const CollectivePart& part = timeline.collectives()[i];
      if (!is_in_parts(trace, location, part)) continue;
      const auto mark = std::ranges::upper_bound(timeline.step_marks(), part.op, {}, &StepMark::op);
      const bool has_mark = mark != timeline.step_marks().end() && mark->op <= part.completed;
      if (!has_mark) found.push_back(i);
    }
    return found;
  }

  static void join(Trace& trace, Location location) {
    Timeline& timeline = trace.timelines_[index(location)];
    const std::vector<std::uint32_t> parts = parts_of(trace, location);
    if (parts.empty()) return;
    Numbers numbers;
    auto next = parts.begin();
    std::uint32_t joined = 0;
    for (std::uint32_t op = 0; op <= timeline.size(); ++op) {
      while (next != parts.end() && timeline.collectives_[*next].completed < op) ++next;
      const CollectivePart* const part = next == parts.end() ? nullptr : &timeline.collectives_[*next];
      const bool goes_on = part != nullptr && op > part->op;
      joined += goes_on;
      numbers.calls.push_back(op - joined);
      numbers.gaps.push_back(op - joined + (goes_on && op > standing_part(trace, location, *part) ? 1 : 0));
    }
    for (const std::uint32_t i : parts) {
      CollectivePart& part = timeline.collectives_[i];
      Duration before{}, behind{};
      for (std::uint32_t op = part.op + 1; op <= part.completed; ++op)
        (op > standing_part(trace, location, part) ? behind : before) +=
            timeline.enter(op) - timeline.leave(op - 1);
      part.begin = timeline.enter_[part.op] += before;
      part.end = timeline.leave_[part.op] = timeline.leave(part.completed) - behind;
    }
    Joining::join(timeline, numbers.calls, numbers.gaps, std::vector<bool>(numbers.gaps.size(), false));
  }
};

bool has_calls_in_parts(const Trace& trace) {
  for (std::uint32_t l = 0; l < trace.timelines().size(); ++l)
    for (const CollectivePart& part : trace.timelines()[l].collectives())
      if (is_in_parts(trace, Location(l), part)) return true;
  return false;
}

Trace with_whole_calls(Trace trace) {
  return Retiming::JoiningParts::run(std::move(trace));
}

}  // namespace waitdiag

// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/simulation/logic_tree/stretches.hpp"

#include <algorithm>

namespace waitdiag {
namespace {

Duration common(Time begin, Time end, const CriticalPath::Stretch& part) {
  return std::max(Duration::zero(), std::min(end, part.end) - std::max(begin, part.begin));
}

// The first call that is entered at this time or later.
std::uint32_t call_from(const Timeline& timeline, Time time) {
  std::uint32_t first = 0, last = static_cast<std::uint32_t>(timeline.size());
  while (first < last) {
    const std::uint32_t middle = first + (last - first) / 2;
    if (timeline.enter(middle) < time) {
      first = middle + 1;
    } else {
      last = middle;
    }
  }
  return first;
}

}  // namespace

Stretches::Stretches(const Trace& trace, const Dependencies& dependencies, const CriticalPath& path)
    : closes_(trace.timelines().size()), critical_(closes_.size()) {
  for (std::uint32_t l = 0; l < closes_.size(); ++l) {
    for (std::uint32_t op = 0; op < trace.timelines()[l].size(); ++op)
      if (!dependencies.graph().of_call(dependencies.graph().node({Location(l), op})).empty())
        closes_[l].push_back(op);
    critical_[l].resize(closes_[l].size() + 1);
  }
  mark(trace, path);
}

std::size_t Stretches::containing(Location location, std::uint32_t op) const {
  const auto& closes = closes_[index(location)];
  return static_cast<std::size_t>(std::ranges::lower_bound(closes, op) - closes.begin());
}

std::size_t Stretches::behind(Location location, std::uint32_t op) const {
  const auto& closes = closes_[index(location)];
  return static_cast<std::size_t>(std::ranges::upper_bound(closes, op) - closes.begin());
}

void Stretches::mark(const Trace& trace, const CriticalPath& path) {
  for (std::size_t i = 0; i < path.stretches.size(); ++i) {
    mark(trace, path.stretches[i]);
    if (i == 0 || path.stretches[i - 1].location == path.stretches[i].location) continue;
    const Location from = path.stretches[i - 1].location, here = path.stretches[i].location;
    const Timeline& timeline = trace.timeline(here);
    // The call that was running when the path arrived here: entered at that time at the latest.
    std::uint32_t call = call_from(timeline, path.stretches[i].begin);
    if (call == timeline.size() || timeline.enter(call) > path.stretches[i].begin) call -= call > 0 ? 1 : 0;
    const std::uint32_t by = call_from(trace.timeline(from), path.stretches[i - 1].end);
    if (by < trace.timeline(from).size()) critical_[index(here)][containing(here, call)].from = {from, by};
  }
}

void Stretches::mark(const Trace& trace, const CriticalPath::Stretch& part) {
  const Timeline& timeline = trace.timeline(part.location);
  auto& mine = critical_[index(part.location)];
  std::uint32_t call = call_from(timeline, part.begin);
  if (call > 0) --call;
  for (std::size_t i = containing(part.location, call); i < mine.size(); ++i) {
    const std::uint32_t open = opening(part.location, i), close = closing(part.location, i);
    const Time begin = open == kNoOp ? timeline.begin() : timeline.leave(open);
    if (begin >= part.end) break;
    const Time end = close == kNoOp ? timeline.end() : timeline.enter(close);
    mine[i].inside += common(begin, end, part);
    if (close != kNoOp) mine[i].in_closing += common(end, timeline.leave(close), part);
  }
}

}  // namespace waitdiag

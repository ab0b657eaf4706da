// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/writers/page/selection.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>

#include "analyzer/trace/model/trace_error.hpp"

namespace waitdiag {
namespace {

constexpr std::size_t kStretches = 1024;  // equal parts of the run, among which the worst are searched
constexpr std::size_t kWindows = 4;       // of the worst, at most

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
                     std::to_string(trace.ranks() - 1) + "; give --only-ranks some of them");
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

// A window in equal parts: the contents of each, and which have been taken.
class EqualParts {
 public:
  struct Range {
    std::size_t first = 0, last = 0;  // [first, last)
  };

  EqualParts(const Trace& trace, const WaitStates& states, const PageSelection& window)
      : begin_(window.begin), length_((window.end - window.begin) / kStretches + Duration(1)) {
    for (const PageSelection::Lane& lane : window.lanes) {
      const Timeline& timeline = trace.timeline(lane.location);
      for (std::uint32_t op = lane.first_op; op < lane.last_op; ++op)
        ++stretch_at(timeline.enter(op)).operations;
      for (const WaitState& wait : states.waits_of(lane.location))
        if (window.place(wait.victim) != kNoOp && pattern(wait.pattern).waiting)
          add_wait(trace.enter(wait.victim), wait.wait);
    }
  }

  Time begin_of(std::size_t stretch) const { return begin_ + length_ * static_cast<std::int64_t>(stretch); }

  // The range with most waiting among those with at most `most` operations; `in_any_case`: even if there is
  // no waiting, and a single stretch if all have more operations.
  std::optional<Range> take_worst(std::uint64_t most, bool in_any_case) {
    std::optional<Range> worst;
    Duration most_waiting{in_any_case ? -1 : 0}, waiting{};
    std::uint64_t operations = 0;
    std::size_t first = 0;
    for (std::size_t last = 0; last < kStretches; ++last) {
      operations += stretches_[last].operations;
      waiting += stretches_[last].waiting;
      for (; first <= last && (operations > most || stretches_[last].taken); ++first) {
        operations -= stretches_[first].operations;
        waiting -= stretches_[first].waiting;
      }
      if (first > last || waiting < most_waiting) continue;
      if (waiting == most_waiting && worst && last - first < worst->last - worst->first) continue;
      if (waiting == most_waiting && !in_any_case) continue;
      most_waiting = waiting;
      worst = Range{first, last + 1};
    }
    if (!worst && in_any_case) {
      const auto at = std::max_element(stretches_.begin(), stretches_.end(),
                                       [](const auto& a, const auto& b) { return a.waiting < b.waiting; });
      const auto place = static_cast<std::size_t>(at - stretches_.begin());
      worst = Range{place, place + 1};
    }
    if (worst && most_waiting > Duration{}) trim(*worst);
    if (worst)
      for (std::size_t i = worst->first; i < worst->last; ++i) stretches_[i].taken = true;
    return worst;
  }

 private:
  struct Stretch {
    std::uint64_t operations = 0;
    Duration waiting{};
    bool taken = false;
  };

  // Reduces a range to the stretches from the first to the last that have waiting.
  void trim(Range& range) const {
    while (stretches_[range.first].waiting == Duration{}) ++range.first;
    while (stretches_[range.last - 1].waiting == Duration{}) --range.last;
  }

  void add_wait(Time begin, Duration length) {
    const Time end = begin + length;
    for (std::size_t i = place_of(begin); i <= place_of(end); ++i) {
      const Duration inside = std::min(end, begin_of(i + 1)) - std::max(begin, begin_of(i));
      if (inside > Duration{}) stretches_[i].waiting += inside;
    }
  }

  std::size_t place_of(Time time) const {
    return static_cast<std::size_t>(std::clamp<std::int64_t>((time - begin_) / length_, 0, kStretches - 1));
  }
  Stretch& stretch_at(Time time) { return stretches_[place_of(time)]; }

  Time begin_;
  Duration length_;
  std::vector<Stretch> stretches_ = std::vector<Stretch>(kStretches);
};

}  // namespace

PageSelection select_for_page(const Trace& trace, const PageLimits& limits) {
  PageSelection selection;
  take_window(trace, limits, selection);
  take_ranks(trace, limits, selection);
  for (const Timeline& timeline : trace.timelines()) selection.operations_in_all += timeline.size();
  take_operations(trace, selection);
  return selection;
}

std::vector<PageSelection> worst_windows(const Trace& trace, const WaitStates& states,
                                         const PageSelection& whole, std::uint64_t most_operations) {
  EqualParts stretches(trace, states, whole);
  std::vector<PageSelection> windows;
  while (windows.size() < kWindows) {
    const std::optional<EqualParts::Range> range =
        stretches.take_worst(most_operations / kWindows, windows.empty());
    if (!range) break;
    PageSelection window = whole;
    window.begin = stretches.begin_of(range->first);
    window.end = std::min(whole.end, stretches.begin_of(range->last));
    take_operations(trace, window);
    windows.push_back(std::move(window));
  }
  return windows;
}

}  // namespace waitdiag

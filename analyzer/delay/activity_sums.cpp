// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/delay/activity_sums.hpp"

#include <algorithm>

namespace waitdiag {
namespace {

constexpr std::size_t kShortestDistance = 64, kCallsPerActivity = 4;

// Calls add(activity, time) for one call and the gap before it.
template <typename Add>
void for_each_of_call(const Trace& trace, const Activities& activities, OpRef call, Add add) {
  activities.for_each_in_gap(call.location, call.op, add);
  add(activities.exact(trace.call_path(call)), trace.timeline(call.location).length(call.op));
}

}  // namespace

ActivitySums::ActivitySums(const Trace& trace, const Activities& activities, const WaitStates& states) {
  std::vector<std::uint32_t> place(activities.size(), kNoOp);
  for (std::uint32_t l = 0; l < trace.timelines().size(); ++l) {
    const Location location{l};
    const auto calls = static_cast<std::uint32_t>(trace.timeline(location).size());
    Marks marks;
    for (std::uint32_t op = 0; op < calls; ++op) {
      for_each_of_call(trace, activities, {location, op}, [&](ActivityId activity, Duration) {
        if (place[index(activity)] != kNoOp) return;
        place[index(activity)] = static_cast<std::uint32_t>(marks.activities.size());
        marks.activities.push_back(activity);
      });
    }
    const std::size_t width = marks.activities.size();
    marks.distance = static_cast<std::uint32_t>(std::max(kShortestDistance, kCallsPerActivity * width));
    marks.sums.reserve((calls / marks.distance + 1) * width);
    std::vector<Duration> sum(width);
    auto wait = states.waits_of(location).begin();
    for (std::uint32_t op = 0; op < calls; ++op) {
      if (op % marks.distance == 0) marks.sums.insert(marks.sums.end(), sum.begin(), sum.end());
      for_each_of_call(trace, activities, {location, op},
                       [&](ActivityId activity, Duration time) { sum[place[index(activity)]] += time; });
      const std::uint32_t own = place[index(activities.exact(trace.call_path({location, op})))];
      for (; wait != states.waits_of(location).end() && wait->victim.op == op; ++wait) sum[own] -= wait->wait;
    }
    for (const ActivityId activity : marks.activities) place[index(activity)] = kNoOp;
    locations_.push_back(std::move(marks));
  }
}

}  // namespace waitdiag

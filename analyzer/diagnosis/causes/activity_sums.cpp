// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/diagnosis/causes/activity_sums.hpp"

#include <algorithm>
#include <memory>
#include <utility>

#include "analyzer/trace/parallel/parallel.hpp"
#include "analyzer/trace/parallel/pool.hpp"

namespace waitdiag {
namespace {

constexpr std::size_t kShortestDistance = 8, kCallsPerActivity = 2;

// Calls add(activity, time) for one call and the gap before it.
template <typename Add>
void for_each_of_call(const Trace& trace, const Activities& activities, OpRef call, Add add) {
  activities.for_each_in_gap(call.location, call.op, add);
  add(activities.exact(trace.call_path(call)), trace.timeline(call.location).length(call.op));
}

}  // namespace

ActivitySums::ActivitySums(const Trace& trace, const Activities& activities, const WaitStates& states,
                           StalledCalls stalled)
    : locations_(trace.timelines().size()), waits_(trace, states), stalled_(std::move(stalled)) {
  using Places = std::vector<std::uint32_t>;  // by activity; kNoOp between two locations
  Pool<Places> pool([&] { return std::make_unique<Places>(activities.size(), kNoOp); });
  for_each_index(locations_.size(), [&](std::size_t l) {
    pool.with(
        [&](Places& place) { locations_[l] = marks_of(trace, activities, states, Location(l), place); });
  });
}

ActivitySums::Marks ActivitySums::marks_of(const Trace& trace, const Activities& activities,
                                           const WaitStates& states, Location location,
                                           std::vector<std::uint32_t>& place) const {
  const auto calls = static_cast<std::uint32_t>(trace.timeline(location).size());
  Marks marks;
  const auto mark = [&](ActivityId activity, Duration) {
    if (place[index(activity)] != kNoOp) return;
    place[index(activity)] = static_cast<std::uint32_t>(marks.activities.size());
    marks.activities.push_back(activity);
  };
  for (std::uint32_t op = 0; op < calls; ++op) for_each_of_call(trace, activities, {location, op}, mark);
  const ActivityId taken_away = activities.exact(stalled_.taken_path());
  const bool any_taken = stalled_.sum(location, 0, calls).taken > Duration::zero();
  if (any_taken) mark(taken_away, {});
  const std::size_t width = marks.activities.size();
  marks.distance = static_cast<std::uint32_t>(std::max(kShortestDistance, kCallsPerActivity * width));
  marks.sums.reserve((calls / marks.distance + 1) * width);
  std::vector<Duration> sum(width);
  const auto waits = states.waits_of(location);
  auto wait = waits.begin();
  for (std::uint32_t op = 0; op < calls; ++op) {
    if (op % marks.distance == 0) marks.sums.insert(marks.sums.end(), sum.begin(), sum.end());
    for_each_of_call(trace, activities, {location, op},
                     [&](ActivityId activity, Duration time) { sum[place[index(activity)]] += time; });
    const std::uint32_t own = place[index(activities.exact(trace.call_path({location, op})))];
    for (; wait != waits.end() && wait->victim.op == op; ++wait) sum[own] -= wait->wait;
    const StalledCalls::Times stall = stalled_.sum(location, op, op + 1);
    sum[own] -= stall.all;
    if (any_taken) sum[place[index(taken_away)]] += stall.taken;
  }
  for (const ActivityId activity : marks.activities) place[index(activity)] = kNoOp;
  return marks;
}

}  // namespace waitdiag

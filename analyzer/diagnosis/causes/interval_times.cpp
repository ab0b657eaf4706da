// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/diagnosis/causes/interval_times.hpp"

#include <algorithm>
#include <cmath>

namespace waitdiag {

double share_after_cut(Time from, Time begin, Time end) {
  if (from <= begin) return 1;
  if (from >= end) return 0;
  return static_cast<double>((end - from).count()) / static_cast<double>((end - begin).count());
}

Duration share_of(Duration time, double share) {
  return share >= 1 ? time : Duration(std::llround(share * static_cast<double>(time.count())));
}

IntervalTimes::IntervalTimes(const Trace& trace, const Activities& activities, const WaitStates& states,
                             const ActivitySums& sums)
    : trace_(trace), activities_(activities), states_(states), sums_(sums), times_(activities.size()) {}

bool IntervalTimes::set(Location location, std::uint32_t start, Time from, std::uint32_t end) {
  const std::uint32_t first = start == kNoOp ? 0 : start + 1;
  if (location == location_ && end == end_ && from == from_ && first == asked_) return false;
  asked_ = first;
  const bool whole = from == Time::min() && from_ == Time::min();
  if (!whole || location != location_ || end != end_ || first > first_) begin(location, end);
  from_ = from;
  if (first > end) return true;  // the synchronisation happened inside the closing call: nothing lies between
  if (first_ > end) {
    add_gap(end);
    first_ = end;
  }
  add_stretch(first, first_);
  first_ = first;
  first_wait_ = wait_at(first);
  return true;
}

void IntervalTimes::begin(Location location, std::uint32_t end) {
  times_.clear();
  location_ = location;
  end_ = end;
  first_ = end + 1;
  first_wait_ = last_wait_ = wait_at(end);
  cut_waits_ = 0;
  cut_share_ = 1;
}

// The index of the first wait in call `op` or later.
std::size_t IntervalTimes::wait_at(std::uint32_t op) const {
  return sums_.waits().first_from(location_, op);
}

void IntervalTimes::add_gap(std::uint32_t gap) {
  const Timeline& timeline = trace_.timeline(location_);
  const double share = share_after_cut(from_, timeline.gap_begin(gap), timeline.gap_end(gap));
  activities_.for_each_in_gap(location_, gap, [&](ActivityId activity, Duration time) {
    times_.add(index(activity), share_of(time, share));
  });
}

// Calls [first, last) with the gap before each of them: by marks where the stretch is long.
void IntervalTimes::add_stretch(std::uint32_t first, std::uint32_t last) {
  const std::uint32_t distance = sums_.distance(location_);
  const std::uint32_t whole_from = from_ == Time::min() ? first : first + 1;  // the first one may be cut
  const std::uint32_t first_mark = (whole_from + distance - 1) / distance, last_mark = last / distance;
  if (first_mark >= last_mark) return add_calls(first, last);
  add_calls(first, first_mark * distance);
  sums_.between(location_, first_mark, last_mark, [&](ActivityId a, Duration t) { times_.add(index(a), t); });
  add_calls(last_mark * distance, last);
}

void IntervalTimes::add_calls(std::uint32_t first, std::uint32_t last) {
  const Timeline& timeline = trace_.timeline(location_);
  const auto add = [&](ActivityId activity, Duration time) { times_.add(index(activity), time); };
  std::uint32_t op = first;
  for (; op < last && from_ > timeline.gap_begin(op); ++op) {  // may be cut
    add_gap(op);
    const Time begin = std::max(from_, timeline.enter(op));
    add(activities_.exact(timeline.call_path(op)), timeline.leave(op) - begin);
  }
  const auto waits = states_.waits_of(location_);
  std::size_t wait = wait_at(first);
  while (wait < waits.size() && waits[wait].victim.op < op) wait = take_out_waits_of_call(wait);
  for (Activities::Gaps gaps(activities_, location_, op); op < last; ++op) {
    gaps.visit_next(add);
    Duration own = timeline.length(op);
    for (; wait < waits.size() && waits[wait].victim.op == op; ++wait) own -= waits[wait].wait;
    add(activities_.exact(timeline.call_path(op)), own);
  }
  for (const StalledCalls::Stall& stall : sums_.stalled().of(location_, first, last)) {
    const StalledCalls::Times time = stalled(stall);
    add(activities_.exact(timeline.call_path(stall.op)), -time.all);
    if (time.taken > Duration::zero()) add(activities_.exact(sums_.stalled().taken_path()), time.taken);
  }
}

// A stall is at the end of its call.
StalledCalls::Times IntervalTimes::stalled(const StalledCalls::Stall& stall) const {
  const Timeline& timeline = trace_.timeline(location_);
  return stall.time.last(timeline.leave(stall.op) - std::max(from_, timeline.enter(stall.op)));
}

Duration IntervalTimes::stalled() const {
  if (first_ >= end_) return {};
  StalledCalls::Times sum = sums_.stalled().sum(location_, first_, end_);
  for (const StalledCalls::Stall& stall : sums_.stalled().of(location_, first_, first_ + 1))
    sum = sum + stalled(stall) - stall.time;
  return sum.unknown();
}

// A call waits first and works afterwards. Returns the index after the waits of this call.
std::size_t IntervalTimes::take_out_waits_of_call(std::size_t first) {
  const auto waits = states_.waits_of(location_);
  const std::uint32_t op = waits[first].victim.op;
  Duration waited{};
  std::size_t last = first;
  for (; last < waits.size() && waits[last].victim.op == op; ++last) waited += waits[last].wait;
  const Timeline& timeline = trace_.timeline(location_);
  const double share = share_after_cut(from_, timeline.enter(op), timeline.enter(op) + waited);
  if (share < 1) {
    cut_waits_ = last - first;
    cut_share_ = share;
  }
  times_.add(index(activities_.exact(timeline.call_path(op))), -share_of(waited, share));
  return last;
}

}  // namespace waitdiag

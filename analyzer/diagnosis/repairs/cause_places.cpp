// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/diagnosis/repairs/cause_places.hpp"

#include <algorithm>
#include <cmath>

#include "analyzer/trace/parallel/parallel.hpp"

namespace waitdiag {

CausePlaces::CausePlaces(const Trace& trace, const Activities& activities, const StalledCalls& stalled,
                         const Dependencies& dependencies, std::span<const CallPathId> causes)
    : trace_(trace),
      activities_(activities),
      stalled_(stalled),
      dependencies_(dependencies),
      causes_(causes.size()),
      number_(activities.slots(), kNoOp),
      places_(trace.timelines().size()),
      places_of_cause_(places_.size() * causes_),
      pieces_(places_of_cause_.size()),
      totals_(pieces_.size()),
      sums_(pieces_.size()) {
  for (std::uint32_t i = 0; i < causes_; ++i) {
    number_[activities.slot(causes[i])] = i;
    activity_.push_back(activities.exact(causes[i]));
    const bool taken = causes[i] != kNoCallPath && causes[i] == stalled.taken_path();
    needless_.push_back(taken ? 1 : 0);
  }
  if (causes_ == 0) return;
  const bool sums = all_compute(causes);
  for_each_index(places_.size(), [&](std::size_t l) { find(Location(l), sums); });
  // Processors that others had may count in the call that opens an interval.
  has_all_sums_ =
      std::ranges::all_of(sums_, &RunningSums::has_any) && std::ranges::find(needless_, 1) == needless_.end();
}

bool CausePlaces::all_compute(std::span<const CallPathId> causes) const {
  return std::ranges::all_of(causes, [&](CallPathId cause) {
    return cause != kNoCallPath && trace_.region(cause).kind == CallKind::Computation;
  });
}

void CausePlaces::find(Location location, bool sums) {
  RankedBits& places = places_[index(location)];
  places = RankedBits(2 * trace_.timeline(location).gaps());
  for (std::size_t cause = 0; cause < causes_; ++cause)
    places_of_cause_[row(location, cause)] = RankedBits(places.size());
  const auto sums_of = [&](std::size_t cause) -> auto& {
    return sums_[row(location, cause)];
  };
  for (std::size_t cause = 0; cause < causes_ && sums; ++cause) sums_of(cause).begin();
  const bool is_exact =
      for_each_occurrence(location, [&](std::uint32_t cause, Place where, double nanoseconds) {
        places.set(where);
        if (sums) {
          if (!places_of_cause_[row(location, cause)][where]) sums_of(cause).next();
          sums_of(cause).add(Duration(std::llround(nanoseconds)));
        }
        places_of_cause_[row(location, cause)].set(where);
        ++pieces_[row(location, cause)];
        totals_[row(location, cause)] += nanoseconds;
      });
  places.close();
  for (std::size_t cause = 0; cause < causes_; ++cause) {
    places_of_cause_[row(location, cause)].close();
    sums_of(cause).close();
    if (!is_exact) sums_of(cause) = {};
  }
}

void CausePlaces::add_times(OpRef call, const IntervalSide& side, std::span<double> by_cause) const {
  const Timeline& timeline = trace_.timeline(call.location);
  const std::uint32_t first = side.start == kNoOp ? 0 : side.start + 1;
  if (first > call.op) return;
  const bool is_cut = side.from() > timeline.gap_begin(first);
  for (std::size_t cause = 0; cause < causes_; ++cause) {
    const RankedBits& places = places_of_cause_[row(call.location, cause)];
    const auto before = [&](Place place) { return sums_[row(call.location, cause)][places.before(place)]; };
    const Duration time = before(place_of_gap(call.op) + 1) - before(place_of_gap(first) + (is_cut ? 1 : 0));
    by_cause[cause] += static_cast<double>(time.count());
  }
  if (!is_cut) return;
  const double share = share_after_cut(side.from(), timeline.gap_begin(first), timeline.gap_end(first));
  activities_.for_each_in_gap(call.location, first, [&](ActivityId activity, Duration time) {
    if (const std::uint32_t cause = number_[index(activity)]; cause != kNoOp)
      by_cause[cause] += static_cast<double>(share_of(time, share).count());
  });
  // A call that is cut: what was taken is at its end.
  const std::uint32_t taken_away = number(stalled_.taken_path());
  if (taken_away == kNoOp || first == call.op || side.from() <= timeline.enter(first)) return;
  const Duration left = std::max(Duration::zero(), timeline.leave(first) - side.from());
  for (const StalledCalls::Stall& stall : stalled_.of(call.location, first, first + 1))
    by_cause[taken_away] -= static_cast<double>((stall.time.taken - stall.time.last(left).taken).count());
}

Place CausePlaces::first(Location location, const IntervalSide& side) const {
  const Timeline& timeline = trace_.timeline(location);
  const bool opened = side.start != kNoOp;
  const std::uint32_t next = opened ? side.start + 1 : 0;
  const Time begin = begin_of(timeline, side);
  const Time last = opened ? timeline.leave(side.start) : timeline.begin();
  if (begin <= last) return opened ? place_of_call(side.start) : place_of_gap(0);
  const Time end = next < timeline.size() ? timeline.enter(next) : timeline.end();
  return begin - last <= end - begin ? place_of_gap(next) : place_of_call(next);
}

Time CausePlaces::behind_last(OpRef call) const {
  constexpr Place kLongest = 256;  // places that are examined
  const RankedBits& places = places_[index(call.location)];
  const Timeline& timeline = trace_.timeline(call.location);
  const Place end = place_of_gap(call.op);
  // Up to it there are as many as up to the end.
  const std::size_t all = places.before(end + 1);
  const std::size_t found =
      first_not_before(end, end, [&](std::size_t place) { return places.before(place + 1) < all; });
  const Place last = std::max(static_cast<Place>(found), end - std::min(end, kLongest));
  // A stretch counts up to its end at most; a call counts with its end, at which others may begin.
  const std::uint32_t op = last / 2;
  return last % 2 == 0 ? timeline.enter(op) : timeline.leave(op) + Duration(1);
}

}  // namespace waitdiag

// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/diagnosis/retiming/cause_places.hpp"

#include <algorithm>

#include "analyzer/trace/parallel/parallel.hpp"

namespace waitdiag {

CausePlaces::CausePlaces(const Trace& trace, const Activities& activities, const Dependencies& dependencies,
                         std::span<const CallPathId> causes)
    : trace_(trace),
      activities_(activities),
      dependencies_(dependencies),
      causes_(causes.size()),
      number_(activities.slots(), kNoOp),
      places_(trace.timelines().size()),
      places_of_cause_(places_.size() * causes_),
      pieces_(places_of_cause_.size()),
      totals_(pieces_.size()) {
  for (std::uint32_t i = 0; i < causes_; ++i) {
    number_[activities.slot(causes[i])] = i;
    activity_.push_back(activities.exact(causes[i]));
  }
  if (causes_ == 0) return;
  for_each_index(places_.size(), [&](std::size_t l) { find(Location(l)); });
}

void CausePlaces::find(Location location) {
  RankedBits& places = places_[index(location)];
  places = RankedBits(2 * trace_.timeline(location).gaps());
  for (std::size_t cause = 0; cause < causes_; ++cause)
    places_of_cause_[row(location, cause)] = RankedBits(places.size());
  for_each_occurrence(location, [&](std::uint32_t cause, Place where, double nanoseconds) {
    places.set(where);
    places_of_cause_[row(location, cause)].set(where);
    ++pieces_[row(location, cause)];
    totals_[row(location, cause)] += nanoseconds;
  });
  places.close();
  for (std::size_t cause = 0; cause < causes_; ++cause) places_of_cause_[row(location, cause)].close();
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
  Place last = end;
  while (last > 0 && end - last < kLongest && !places[last]) --last;
  // A stretch counts up to its end at most; a call counts with its end, at which others may begin.
  const std::uint32_t op = last / 2;
  return last % 2 == 0 ? timeline.enter(op) : timeline.leave(op) + Duration(1);
}

std::vector<std::pair<std::uint32_t, Duration>> CausePlaces::times_of_causes(
    const IntervalTimes& times) const {
  std::vector<std::pair<std::uint32_t, Duration>> result;
  for (const std::uint32_t key : times.activities()) {
    const ActivityId activity{key};
    const bool counts = !activities_.is_exact(activity) || number_[key] != kNoOp;
    if (counts && times[activity] > Duration::zero()) result.emplace_back(key, times[activity]);
  }
  return result;
}

}  // namespace waitdiag

// Exclusive time by activity over long stretches of one location, without waiting. Running sums are kept at
// marks, a fixed number of calls apart, so a stretch costs one subtraction per activity, however long it is.
// The distance of the marks grows with the number of activities: they never take more than four bytes per
// call.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <vector>

#include "analyzer/diagnosis/activities/activities.hpp"
#include "analyzer/diagnosis/activities/stalled_calls.hpp"
#include "analyzer/diagnosis/intervals/wait_places.hpp"

namespace waitdiag {

class ActivitySums {
 public:
  // The stalls in `stalled` are taken out of the times of calls; a part is time of StalledCalls::taken_path().
  ActivitySums(const Trace& trace, const Activities& activities, const WaitStates& states,
               StalledCalls stalled = {});

  // Marks lie before the calls 0, distance, 2 * distance ...
  std::uint32_t distance(Location location) const { return locations_[index(location)].distance; }

  // Calls add(activity, time) for all calls from mark `first` to mark `last`, each with the gap before it.
  template <typename Add>
  void between(Location location, std::uint32_t first, std::uint32_t last, Add add) const {
    const Marks& marks = locations_[index(location)];
    const std::size_t width = marks.activities.size();
    for (std::size_t i = 0; i < width; ++i) {
      const Duration time = marks.sums[last * width + i] - marks.sums[first * width + i];
      if (time != Duration::zero()) add(marks.activities[i], time);
    }
  }

  const WaitPlaces& waits() const { return waits_; }
  const StalledCalls& stalled() const { return stalled_; }

 private:
  struct Marks {
    std::uint32_t distance = 0;
    std::vector<ActivityId> activities;
    std::vector<Duration> sums;  // by mark, then activity
  };
  Marks marks_of(const Trace& trace, const Activities& activities, const WaitStates& states,
                 Location location, std::vector<std::uint32_t>& place) const;

  std::vector<Marks> locations_;
  WaitPlaces waits_;
  StalledCalls stalled_;
};

}  // namespace waitdiag

// What one location did between two of its calls: exclusive time by activity, without waiting.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

#include "analyzer/diagnosis/activities/sparse_sums.hpp"
#include "analyzer/diagnosis/causes/activity_sums.hpp"
#include "analyzer/diagnosis/intervals/sync_intervals.hpp"

namespace waitdiag {

// How much of a stretch lies behind a cut; what ran in it is assumed to be spread evenly.
double share_after_cut(Time from, Time begin, Time end);
Duration share_of(Duration time, double share);

class IntervalTimes {
 public:
  IntervalTimes(const Trace& trace, const Activities& activities, const WaitStates& states,
                const ActivitySums& sums);

  // Everything behind call `start` (kNoOp: from the begin of the timeline), but not before `from`, until call
  // `end` is entered. The same end with an earlier start costs only the difference, if neither is cut by
  // `from`. False: that is what was set before.
  bool set(Location location, std::uint32_t start, Time from, std::uint32_t end);

  // In the time of no activity: the part of StalledCalls of which nobody knows what it was.
  Duration stalled() const;

  void forget() { location_ = Location{kNoOp}; }  // the next set() starts from nothing

  Duration operator[](ActivityId activity) const { return times_[index(activity)]; }
  const std::vector<std::uint32_t>& activities() const { return times_.keys(); }

  // The waits inside, as indices into waits_of(location): [first_wait, last_wait). Of the first few, those in
  // a call that `from` cuts, only a part lies inside.
  std::size_t first_wait() const { return first_wait_; }
  std::size_t last_wait() const { return last_wait_; }
  std::size_t cut_waits() const { return cut_waits_; }
  double cut_share() const { return cut_share_; }

 private:
  void begin(Location location, std::uint32_t end);
  std::size_t wait_at(std::uint32_t op) const;
  void add_gap(std::uint32_t gap);
  void add_stretch(std::uint32_t first, std::uint32_t last);
  void add_calls(std::uint32_t first, std::uint32_t last);
  std::size_t take_out_waits_of_call(std::size_t first);
  StalledCalls::Times stalled(const StalledCalls::Stall& stall) const;

  const Trace& trace_;
  const Activities& activities_;
  const WaitStates& states_;
  const ActivitySums& sums_;
  SparseSums<Duration> times_;
  Location location_{kNoOp};
  Time from_ = Time::min();
  std::uint32_t asked_ = 0;  // the first call inside that was requested
  // Calls [first_, end_) lie inside; if first_ == end_ + 1, not even the last gap does.
  std::uint32_t first_ = 0, end_ = 0;
  std::size_t first_wait_ = 0, last_wait_ = 0, cut_waits_ = 0;
  double cut_share_ = 1;
};

}  // namespace waitdiag

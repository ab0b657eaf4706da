// Excess time: how much longer than its victim the causing process spent in each call path of their interval.
// This is H-CWP-DM's e(q,c) = max(0, t(q,c) - t(p,c)), with waiting taken out of both sides.
//
// Un-instrumented computation is compared exactly first, as one sum; samples only divide the excess found
// (README.md of this folder).
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "analyzer/diagnosis/causes/interval_times.hpp"
#include "analyzer/diagnosis/intervals/sync_intervals.hpp"

namespace waitdiag {

struct ExcessTime {
  CallPathId call_path = kNoCallPath;
  double nanoseconds = 0;
  // What the causing process ran of it in the interval, if its victim ran hardly any; else 0.
  double one_sided = 0;
  // How much else the victim computed meanwhile, for what the causing process computed more than it (0..1).
  double instead = 0;
  bool stalled = false;  // of calls that took longer than usual: no call path is at fault
};

inline double one_sided(double of_cause, double of_victim) {
  constexpr double kHardlyAny = 0.05;
  return of_victim < kHardlyAny * of_cause ? of_cause : 0;
}

// How the call that opens an interval counts.
enum class OpeningCall : std::uint8_t {
  Completion,  // what it still took when the other side was through, if both overlapped
  Scalasca,    // its completion, less the whole call; taken from the path's time in the interval
};

class ExcessComparison {
 public:
  ExcessComparison(const Trace& trace, const Activities& activities, OpeningCall opening)
      : trace_(trace),
        activities_(activities),
        opening_(opening),
        cause_estimate_(activities.slots()),
        victim_estimate_(activities.slots()) {}

  // At most one entry for each call path and kind of knowledge; valid until the next call.
  const std::vector<ExcessTime>& compare(const WaitState& wait, const SyncInterval& interval,
                                         const IntervalTimes& cause, const IntervalTimes& victim,
                                         const StalledCalls& stalled);

 private:
  Duration pruned(const IntervalTimes& times, ActivityId activity, OpRef opening, Duration change) const;
  void add_exact(const WaitState& wait, const SyncInterval& interval, const IntervalTimes& cause,
                 const IntervalTimes& victim);
  void add_sampled(const IntervalTimes& cause, const IntervalTimes& victim);
  void add_opening_call(const WaitState& wait, const SyncInterval& interval, const StalledCalls& stalled);
  void add_stalls(const IntervalTimes& cause, const IntervalTimes& victim);
  void set_instead(const IntervalTimes& cause, const IntervalTimes& victim);
  Duration estimate(const IntervalTimes& times, SparseSums<double>& by_path) const;

  const Trace& trace_;
  const Activities& activities_;
  OpeningCall opening_;
  SparseSums<double> cause_estimate_, victim_estimate_;
  std::vector<ExcessTime> excess_;
};

}  // namespace waitdiag

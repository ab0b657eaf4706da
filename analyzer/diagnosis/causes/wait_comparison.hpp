// The two sides of a wait's interval, compared: what the causing process did longer than its victim. For one
// thread at a time.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "analyzer/diagnosis/causes/excess.hpp"
#include "analyzer/diagnosis/causes/interval_times.hpp"

namespace waitdiag {

class WaitComparison {
 public:
  WaitComparison(const Trace& trace, const Activities& activities, const WaitStates& states,
                 const ActivitySums& sums, OpeningCall opening)
      : cause_(trace, activities, states, sums),
        victim_(trace, activities, states, sums),
        excess_(trace, activities, opening),
        stalled_(sums.stalled()) {}

  // As ExcessComparison::compare(); valid until the next call.
  const std::vector<ExcessTime>& compare(const WaitState& wait, const SyncInterval& interval) {
    cause_.set(wait.cause.location, interval.cause.start, interval.cause.from, wait.cause.op);
    victim_.set(wait.victim.location, interval.victim.start, interval.victim.from, wait.victim.op);
    return excess_.compare(wait, interval, cause_, victim_, stalled_);
  }
  // The sides of the last comparison.
  const IntervalTimes& cause() const { return cause_; }
  const IntervalTimes& victim() const { return victim_; }

  // The next comparison must not build on the last one: how sums are rounded would depend on it.
  void forget() {
    cause_.forget();
    victim_.forget();
  }

 private:
  IntervalTimes cause_, victim_;
  ExcessComparison excess_;
  const StalledCalls& stalled_;
};

}  // namespace waitdiag

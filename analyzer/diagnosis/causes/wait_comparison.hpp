// The two sides of a wait's interval, compared: what the causing process did longer than its victim. For one
// thread at a time.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "analyzer/diagnosis/causes/excess.hpp"
#include "analyzer/diagnosis/causes/interval_times.hpp"

namespace waitdiag {

class WaitComparison {
 public:
  WaitComparison(const Trace& trace, const Activities& activities, const WaitStates& states,
                 const ActivitySums& sums, OpeningCall opening, std::vector<std::uint8_t> only = {},
                 const UsualParts* usual = nullptr)
      : cause_(trace, activities, states, sums),
        victim_(trace, activities, states, sums),
        excess_(trace, activities, opening, std::move(only), usual),
        stalled_(sums.stalled()) {}

  // As ExcessComparison::compare(); valid until the next call.
  const std::vector<ExcessTime>& compare(const WaitState& wait, const SyncInterval& interval) {
    set_cause(wait.cause, interval.cause);
    set_victim(wait.victim, interval.victim);
    return excess_.compare(wait, interval, cause_, victim_, stalled_);
  }
  // One side, which ends with `call`; if the other one is known from before.
  void set_cause(OpRef call, const IntervalSide& side) {
    if (cause_.set(call.location, side.start, side.from(), call.op)) excess_.set_cause(cause_, call.location);
  }
  void set_victim(OpRef call, const IntervalSide& side) {
    if (victim_.set(call.location, side.start, side.from(), call.op)) excess_.set_victim(victim_);
  }
  const SampledTime& cause_sampled() const { return excess_.cause_sampled(); }
  template <typename Visit>
  void compare_sampled(const SampledTime& cause, Visit visit) {
    excess_.compare_sampled(cause, visit);
  }
  const SampledTime& victim_sampled() const { return excess_.victim_sampled(); }
  double victim_sampled_at(std::uint32_t slot) { return excess_.victim_sampled_at(slot); }
  void computed_by_cause(std::vector<SlotTime>& by_slot) const { excess_.computed(cause_, by_slot); }
  // As ExcessComparison::instead().
  double instead(std::span<const SlotTime> computed, const SampledTime& sampled) {
    return excess_.instead(computed, sampled, victim_);
  }
  // The sides of the last comparison.
  const IntervalTimes& cause() const { return cause_; }
  const IntervalTimes& victim() const { return victim_; }

  // The next comparison must not build on the last one: otherwise the rounding of sums would depend on it.
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

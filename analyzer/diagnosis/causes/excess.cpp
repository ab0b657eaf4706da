// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/diagnosis/causes/excess.hpp"

#include <algorithm>
#include <cmath>

namespace waitdiag {

const std::vector<ExcessTime>& ExcessComparison::compare(const WaitState& wait, const SyncInterval& interval,
                                                         const IntervalTimes& cause,
                                                         const IntervalTimes& victim,
                                                         const StalledCalls& stalled) {
  excess_.clear();
  add_exact(wait, interval, cause, victim);
  if (opening_ == OpeningCall::Completion && all_wanted()) set_net(cause, victim);
  compare_sampled(cause_sampled_, [&](std::size_t slot, double nanoseconds, double one_sided) {
    excess_.push_back({activities_.call_path(slot), nanoseconds, one_sided});
  });
  set_instead(cause, victim);
  if (all_wanted()) add_stalls(cause, victim);
  if (opening_ == OpeningCall::Completion) add_opening_call(wait, interval, stalled);
  return excess_;
}

Duration ExcessComparison::pruned(const IntervalTimes& times, ActivityId activity, OpRef opening,
                                  Duration change) const {
  Duration time = times[activity];
  const bool changes = opening_ == OpeningCall::Scalasca && opening.valid() &&
                       activities_.exact(trace_.call_path(opening)) == activity;
  if (changes) time += change;
  return std::max(time, Duration::zero());
}

void ExcessComparison::add_exact(const WaitState& wait, const SyncInterval& interval,
                                 const IntervalTimes& cause, const IntervalTimes& victim) {
  const OpRef cause_opening{wait.cause.location, interval.cause.start};
  const OpRef victim_opening{wait.victim.location, interval.victim.start};
  for (const std::uint32_t key : cause.activities()) {
    const ActivityId activity{key};
    if (!activities_.is_exact(activity) || !is_wanted(key)) continue;
    const auto nanoseconds = [](Duration time) { return static_cast<double>(time.count()); };
    const double of_cause = nanoseconds(pruned(cause, activity, cause_opening, interval.cause.opening())),
                 of_victim = nanoseconds(pruned(victim, activity, victim_opening, interval.victim.opening()));
    if (of_cause > of_victim)
      excess_.push_back({activities_.call_path(key), of_cause - of_victim, one_sided(of_cause, of_victim)});
  }
}

// As with samples, both sides count as sums first: who did something else for as long is not late by it.
void ExcessComparison::set_net(const IntervalTimes& cause, const IntervalTimes& victim) {
  double more = 0, instead = 0;
  add_computed(cause, victim, more, instead);
  if (instead <= 0 || more <= 0) return;
  double usual = 0;
  for (const ExcessTime& part : excess_)
    if (const std::size_t slot = activities_.slot(part.call_path); computes_[slot])
      usual += usual_part(slot) * part.nanoseconds;
  const MadeUpFor made_up = made_up_for(instead, usual, more - usual);
  for (ExcessTime& part : excess_)
    if (const std::size_t slot = activities_.slot(part.call_path); computes_[slot])
      part.net = left_of(part.nanoseconds, slot, made_up);
}

ExcessComparison::MadeUpFor ExcessComparison::made_up_for(double instead, double usual, double rest) {
  const double of_usual = std::min(instead, usual), of_rest = std::min(instead - of_usual, rest);
  return {usual > 0 ? of_usual / usual : 0, rest > 0 ? of_rest / rest : 0};
}

double ExcessComparison::left_of(double time, std::size_t slot, MadeUpFor made_up) const {
  const double usual = usual_part(slot);
  return time * (usual * (1 - made_up.of_usual) + (1 - usual) * (1 - made_up.of_rest));
}

void ExcessComparison::estimate(const IntervalTimes& times, SampledTime& result) {
  result.total = {};
  estimate_.clear();
  for (const std::uint32_t key : times.activities()) {
    const ActivityId activity{key};
    if (activities_.is_exact(activity)) continue;
    result.total += times[activity];
    for (const Share& share : activities_.shares(activity)) {
      estimate_.add(activities_.slot(share.call_path),
                    share.share() * static_cast<double>(times[activity].count()));
    }
  }
  result.by_slot.clear();
  for (const std::uint32_t slot : estimate_.keys()) result.by_slot.emplace_back(slot, estimate_[slot]);
}

void ExcessComparison::estimate_victim() {
  victim_is_estimated_ = true;
  victim_estimate_.clear();
  for (const auto& [slot, nanoseconds] : victim_sampled_.by_slot) victim_estimate_.add(slot, nanoseconds);
}

void ExcessComparison::add_stalls(const IntervalTimes& cause, const IntervalTimes& victim) {
  const Duration stalled = cause.stalled() - victim.stalled();
  if (stalled > Duration::zero())
    excess_.push_back({.nanoseconds = static_cast<double>(stalled.count()), .stalled = true});
}

void ExcessComparison::set_instead(const IntervalTimes& cause, const IntervalTimes& victim) {
  if (std::ranges::none_of(excess_, [](const ExcessTime& part) { return part.one_sided > 0; })) return;
  double more = 0, instead = 0;
  add_computed(cause, victim, more, instead);
  const double share = instead_by_samples(cause_sampled_, more, instead);
  for (ExcessTime& part : excess_) part.instead = share;
}

void ExcessComparison::computed(const IntervalTimes& times, std::vector<SlotTime>& by_slot) const {
  by_slot.clear();
  for (const std::uint32_t key : times.activities())
    if (is_computation(key)) by_slot.emplace_back(key, static_cast<double>(times[ActivityId{key}].count()));
}

// As add_differences() of what both computed. Times are whole nanoseconds: the order does not matter.
void ExcessComparison::add_computed(const IntervalTimes& cause, const IntervalTimes& victim, double& more,
                                    double& instead) const {
  Duration longer{}, shorter{};
  const auto add = [&](Duration difference) {
    if (difference > Duration::zero())
      longer += difference;
    else
      shorter -= difference;
  };
  for (const std::uint32_t key : cause.activities())
    if (is_computation(key)) add(cause[ActivityId{key}] - victim[ActivityId{key}]);
  for (const std::uint32_t key : victim.activities())
    if (is_computation(key) && cause[ActivityId{key}] == Duration::zero()) add(-victim[ActivityId{key}]);
  more += static_cast<double>(longer.count());
  instead += static_cast<double>(shorter.count());
}

double ExcessComparison::instead(std::span<const SlotTime> computed_by_cause, const SampledTime& sampled,
                                 const IntervalTimes& victim) {
  double more = 0, instead = 0;
  std::vector<SlotTime> computed_by_victim;
  computed(victim, computed_by_victim);
  add_differences(computed_by_cause, computed_by_victim, more, instead);
  return instead_by_samples(sampled, more, instead);
}

double ExcessComparison::instead_by_samples(const SampledTime& sampled, double more, double instead) {
  add_differences(sampled.by_slot, victim_sampled_.by_slot, more, instead);
  return more > 0 ? std::min(1.0, instead / more) : 0;
}

void ExcessComparison::add_differences(std::span<const SlotTime> cause, std::span<const SlotTime> victim,
                                       double& more, double& instead) {
  const auto add = [&](double difference) { (difference > 0 ? more : instead) += std::abs(difference); };
  const auto set = [&](std::span<const SlotTime> times) {
    estimate_.clear();
    for (const auto& [slot, nanoseconds] : times) estimate_.add(slot, nanoseconds);
  };
  set(victim);
  for (const auto& [slot, nanoseconds] : cause) add(nanoseconds - estimate_[slot]);
  set(cause);
  for (const auto& [slot, nanoseconds] : victim)
    if (estimate_[slot] == 0) add(-nanoseconds);
}

void ExcessComparison::add_opening_call(const WaitState& wait, const SyncInterval& interval,
                                        const StalledCalls& stalled) {
  const OpRef cause{wait.cause.location, interval.cause.start};
  const OpRef victim{wait.victim.location, interval.victim.start};
  const bool cut = interval.cause.from() != Time::min() || interval.victim.from() != Time::min();
  if (!cause.valid() || !victim.valid() || cut) return;
  const bool overlap =
      trace_.enter(victim) < trace_.leave(cause) && trace_.enter(cause) < trace_.leave(victim);
  if (!overlap) return;
  Duration completion = trace_.leave(cause) - trace_.leave(victim);
  if (completion <= Duration::zero()) return;
  const StalledCalls::Times stall = stalled.sum(cause.location, cause.op, cause.op + 1).last(completion);
  completion -= stall.all;
  if (stall.unknown() > Duration::zero() && all_wanted())
    excess_.push_back({.nanoseconds = static_cast<double>(stall.unknown().count()), .stalled = true});
  const auto add = [&](CallPathId path, Duration time) {
    const std::size_t slot = activities_.slot(path);
    if (time > Duration::zero() && is_wanted(slot))
      excess_.push_back({activities_.call_path(slot), static_cast<double>(time.count())});
  };
  add(stalled.taken_path(), stall.taken);
  add(trace_.call_path(cause), completion);
}

}  // namespace waitdiag

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
  add_sampled(cause, victim);
  set_instead(cause, victim);
  add_stalls(cause, victim);
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
    if (!activities_.is_exact(activity)) continue;
    const auto nanoseconds = [](Duration time) { return static_cast<double>(time.count()); };
    const double of_cause = nanoseconds(pruned(cause, activity, cause_opening, interval.cause.opening)),
                 of_victim = nanoseconds(pruned(victim, activity, victim_opening, interval.victim.opening));
    if (of_cause > of_victim)
      excess_.push_back({activities_.call_path(key), of_cause - of_victim, one_sided(of_cause, of_victim)});
  }
}

// Sums up the segments: their exact length as the result, what samples make of it in `by_path`.
Duration ExcessComparison::estimate(const IntervalTimes& times, SparseSums<double>& by_path) const {
  by_path.clear();
  Duration total{};
  for (const std::uint32_t key : times.activities()) {
    const ActivityId activity{key};
    if (activities_.is_exact(activity)) continue;
    total += times[activity];
    for (const Share& share : activities_.shares(activity)) {
      by_path.add(activities_.slot(share.call_path),
                  share.share * static_cast<double>(times[activity].count()));
    }
  }
  return total;
}

void ExcessComparison::add_sampled(const IntervalTimes& cause, const IntervalTimes& victim) {
  const Duration difference = estimate(cause, cause_estimate_) - estimate(victim, victim_estimate_);
  if (difference <= Duration::zero()) return;
  double positive = 0, all = 0;
  for (const std::uint32_t slot : cause_estimate_.keys()) {
    positive += std::max(0.0, cause_estimate_[slot] - victim_estimate_[slot]);
    all += cause_estimate_[slot];
  }
  const auto excess = static_cast<double>(difference.count());
  for (const std::uint32_t slot : cause_estimate_.keys()) {
    const double more = std::max(0.0, cause_estimate_[slot] - victim_estimate_[slot]);
    const double share = positive > 0 ? more / positive : cause_estimate_[slot] / all;
    if (share > 0)
      excess_.push_back({activities_.call_path(slot), share * excess,
                         one_sided(cause_estimate_[slot], victim_estimate_[slot])});
  }
}

void ExcessComparison::add_stalls(const IntervalTimes& cause, const IntervalTimes& victim) {
  const Duration stalled = cause.stalled() - victim.stalled();
  if (stalled > Duration::zero())
    excess_.push_back({.nanoseconds = static_cast<double>(stalled.count()), .stalled = true});
}

void ExcessComparison::set_instead(const IntervalTimes& cause, const IntervalTimes& victim) {
  if (std::ranges::none_of(excess_, [](const ExcessTime& part) { return part.one_sided > 0; })) return;
  double more = 0, instead = 0;
  const auto add = [&](double difference) { (difference > 0 ? more : instead) += std::abs(difference); };
  const auto computes = [&](std::uint32_t slot) {
    const CallPathId path = activities_.call_path(slot);
    return path == kNoCallPath || trace_.region(path).kind == CallKind::Computation;
  };
  const auto nanoseconds = [](Duration time) { return static_cast<double>(time.count()); };
  for (const std::uint32_t key : cause.activities())
    if (const ActivityId activity{key}; activities_.is_exact(activity) && computes(key))
      add(nanoseconds(cause[activity]) - nanoseconds(victim[activity]));
  for (const std::uint32_t key : victim.activities())
    if (const ActivityId activity{key};
        activities_.is_exact(activity) && computes(key) && cause[activity] == Duration::zero())
      add(-nanoseconds(victim[activity]));
  estimate(cause, cause_estimate_);
  estimate(victim, victim_estimate_);
  for (const std::uint32_t slot : cause_estimate_.keys()) add(cause_estimate_[slot] - victim_estimate_[slot]);
  for (const std::uint32_t slot : victim_estimate_.keys())
    if (cause_estimate_[slot] == 0) add(-victim_estimate_[slot]);
  if (more <= 0) return;
  for (ExcessTime& part : excess_) part.instead = std::min(1.0, instead / more);
}

void ExcessComparison::add_opening_call(const WaitState& wait, const SyncInterval& interval,
                                        const StalledCalls& stalled) {
  const OpRef cause{wait.cause.location, interval.cause.start};
  const OpRef victim{wait.victim.location, interval.victim.start};
  const bool cut = interval.cause.from != Time::min() || interval.victim.from != Time::min();
  if (!cause.valid() || !victim.valid() || cut) return;
  const bool overlap =
      trace_.enter(victim) < trace_.leave(cause) && trace_.enter(cause) < trace_.leave(victim);
  if (!overlap) return;
  Duration completion = trace_.leave(cause) - trace_.leave(victim);
  const Duration stall = std::min(completion, stalled.sum(cause.location, cause.op, cause.op + 1));
  if (stall > Duration::zero()) {
    excess_.push_back({.nanoseconds = static_cast<double>(stall.count()), .stalled = true});
    completion -= stall;
  }
  if (completion > Duration::zero()) {
    const std::size_t slot = activities_.slot(trace_.call_path(cause));
    excess_.push_back({activities_.call_path(slot), static_cast<double>(completion.count())});
  }
}

}  // namespace waitdiag

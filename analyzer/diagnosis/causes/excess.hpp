// Excess time: how much longer than its victim the causing process spent in each call path of their interval.
// This is H-CWP-DM's e(q,c) = max(0, t(q,c) - t(p,c)), with waiting taken out of both sides.
//
// Un-instrumented computation is compared exactly first, as one sum; samples only divide the excess found
// (README.md of this folder).
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "analyzer/diagnosis/causes/interval_times.hpp"
#include "analyzer/diagnosis/causes/usual_parts.hpp"
#include "analyzer/diagnosis/intervals/sync_intervals.hpp"

namespace waitdiag {

struct ExcessTime {
  CallPathId call_path = kNoCallPath;
  double nanoseconds = 0;
  // How long the causing process ran it in the interval, if its victim hardly ran it at all; otherwise 0.
  double one_sided = 0;
  // How much of the causing process's additional computation is matched by other computation of the victim
  // meanwhile (0..1).
  double instead = 0;
  // Of calls that took longer than usual, nobody knows why: not attributed to a call path.
  bool stalled = false;
  // Of `nanoseconds`, what the victim's other instrumented computation did not make up for.
  double net = nanoseconds;
};

// Of that, what attributing a wait needs. There may be very many of them.
struct ComparedExcess {
  CallPathId call_path = kNoCallPath;
  bool stalled = false;
  double nanoseconds = 0, net = 0;
};

inline double one_sided(double of_cause, double of_victim) {
  constexpr double kHardlyAny = 0.05;
  return of_victim < kHardlyAny * of_cause ? of_cause : 0;
}

// How the call that opens an interval counts.
enum class OpeningCall : std::uint8_t {
  Completion,  // the time it still took after the other side was done, if both overlapped
  Scalasca,    // its completion, less the whole call; taken from the path's time in the interval
};

using SlotTime = std::pair<std::uint32_t, double>;  // a slot of Activities, and nanoseconds

// The un-instrumented computation of one side: its exact length, and what samples make of it.
struct SampledTime {
  Duration total{};
  std::vector<SlotTime> by_slot{};
};

class ExcessComparison {
 public:
  // `only`, by slot: no other excess is wanted, nor ExcessTime::net. Empty: all is. `usual`: which parts of an excess the
  // victim's other work makes up for first; nullptr: for all alike.
  ExcessComparison(const Trace& trace, const Activities& activities, OpeningCall opening,
                   std::vector<std::uint8_t> only = {}, const UsualParts* usual = nullptr)
      : trace_(trace),
        activities_(activities),
        opening_(opening),
        only_(std::move(only)),
        usual_(usual),
        estimate_(activities.slots()),
        victim_estimate_(activities.slots()) {
    for (std::size_t slot = 0; slot < activities.slots(); ++slot) {
      const CallPathId path = activities.call_path(slot);
      computes_.push_back(path == kNoCallPath || trace.region(path).kind == CallKind::Computation);
    }
  }

  void set_cause(const IntervalTimes& times, Location location) {
    cause_location_ = location;
    estimate(times, cause_sampled_);
  }
  void set_victim(const IntervalTimes& times) {
    estimate(times, victim_sampled_);
    victim_is_estimated_ = false;
  }

  // At most one entry for each call path and kind of knowledge; valid until the next call. Of the sides that
  // were set last.
  const std::vector<ExcessTime>& compare(const WaitState& wait, const SyncInterval& interval,
                                         const IntervalTimes& cause, const IntervalTimes& victim,
                                         const StalledCalls& stalled);
  // The same of un-instrumented computation alone, of a cause that is known from before: calls visit(slot, nanoseconds,
  // ExcessTime::one_sided).
  template <typename Visit>
  void compare_sampled(const SampledTime& cause, Visit visit) {
    const Duration difference = cause.total - victim_sampled_.total;
    if (difference <= Duration::zero()) return;
    if (!victim_is_estimated_) estimate_victim();
    double positive = 0, usual = 0, all = 0;
    for (const auto& [slot, nanoseconds] : cause.by_slot) {
      const double more = std::max(0.0, nanoseconds - victim_estimate_[slot]);
      positive += more;
      usual += usual_part(slot) * more;
      all += nanoseconds;
    }
    const auto excess = static_cast<double>(difference.count());
    const MadeUpFor made_up = made_up_for(std::max(0.0, positive - excess), usual, positive - usual);
    for (const auto& [slot, nanoseconds] : cause.by_slot) {
      if (!is_wanted(slot)) continue;
      const double of_victim = victim_estimate_[slot], more = std::max(0.0, nanoseconds - of_victim);
      const double time = positive > 0 ? left_of(more, slot, made_up) : nanoseconds / all * excess;
      if (time > 0) visit(slot, time, one_sided(nanoseconds, of_victim));
    }
  }
  const SampledTime& victim_sampled() const { return victim_sampled_; }
  double victim_sampled_at(std::uint32_t slot) {
    if (!victim_is_estimated_) estimate_victim();
    return victim_estimate_[slot];
  }

  const SampledTime& cause_sampled() const { return cause_sampled_; }
  // The instrumented computation of one side.
  void computed(const IntervalTimes& times, std::vector<SlotTime>& by_slot) const;
  // ExcessTime::instead of the victim that was set last: `computed` and `sampled` are what the cause did.
  double instead(std::span<const SlotTime> computed, const SampledTime& sampled, const IntervalTimes& victim);

 private:
  Duration pruned(const IntervalTimes& times, ActivityId activity, OpRef opening, Duration change) const;
  void add_exact(const WaitState& wait, const SyncInterval& interval, const IntervalTimes& cause,
                 const IntervalTimes& victim);
  void estimate_victim();
  void set_net(const IntervalTimes& cause, const IntervalTimes& victim);
  void add_opening_call(const WaitState& wait, const SyncInterval& interval, const StalledCalls& stalled);
  void add_stalls(const IntervalTimes& cause, const IntervalTimes& victim);
  // `time` of the cause at that slot, when other work has made up for so much of all.
  struct MadeUpFor {
    double of_usual = 0, of_rest = 0;  // 0..1
  };
  double usual_part(std::size_t slot) const {
    return usual_ == nullptr ? 1 : usual_->of(slot, cause_location_);
  }
  static MadeUpFor made_up_for(double instead, double usual, double rest);
  double left_of(double time, std::size_t slot, MadeUpFor made_up) const;
  void set_instead(const IntervalTimes& cause, const IntervalTimes& victim);
  void estimate(const IntervalTimes& times, SampledTime& result);
  void add_differences(std::span<const SlotTime> cause, std::span<const SlotTime> victim, double& more,
                       double& instead);
  void add_computed(const IntervalTimes& cause, const IntervalTimes& victim, double& more,
                    double& instead) const;
  double instead_by_samples(const SampledTime& sampled, double more, double instead);
  bool all_wanted() const { return only_.empty(); }
  bool is_wanted(std::size_t slot) const { return only_.empty() || only_[slot] != 0; }
  bool is_computation(std::uint32_t activity) const {
    return activities_.is_exact(ActivityId{activity}) && computes_[activity];
  }

  const Trace& trace_;
  const Activities& activities_;
  OpeningCall opening_;
  std::vector<std::uint8_t> only_, computes_;  // by slot
  const UsualParts* usual_;
  Location cause_location_{};
  SparseSums<double> estimate_, victim_estimate_;  // by slot
  bool victim_is_estimated_ = false;
  SampledTime cause_sampled_, victim_sampled_;
  std::vector<ExcessTime> excess_;
};

}  // namespace waitdiag

// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/delay/delay_costs.hpp"

#include <algorithm>
#include <map>
#include <tuple>
#include <unordered_map>

#include "analyzer/delay/passed_on.hpp"
#include "analyzer/delay/propagation.hpp"
#include "analyzer/delay/wait_order.hpp"

namespace waitdiag {
namespace {

// Scalasca looks for the causes of these patterns only.
bool scalasca_explains(PatternId id) {
  return id == id_of(late_sender) || id == id_of(late_receiver) || id == id_of(wait_at_barrier) ||
         id == id_of(wait_at_nxn) || id == id_of(late_broadcast);
}

// In a collective, the participant that came first: the victim of the longest wait.
std::vector<OpRef> first_arrivals(const SyncPoints& sync, const WaitStates& states) {
  std::vector<OpRef> victim(sync.collectives.size());
  std::vector<Duration> longest(sync.collectives.size());
  for (const WaitState& wait : states.waits) {
    if (pattern(wait.pattern).on_collective == nullptr || wait.wait <= longest[wait.sync]) continue;
    longest[wait.sync] = wait.wait;
    victim[wait.sync] = wait.victim;
  }
  return victim;
}

class Attribution {
 public:
  Attribution(const Trace& trace, const SyncPoints& sync, const WaitStates& states,
              const Activities& activities, const std::vector<bool>& candidates, AttributionRules rules)
      : trace_(trace),
        states_(states),
        activities_(activities),
        candidates_(candidates),
        rules_(rules),
        passed_on_(states),
        first_arrival_(first_arrivals(sync, states)),
        comparison_(trace, activities, rules.scalasca ? OpeningCall::Scalasca : OpeningCall::Completion),
        sums_(trace, activities, states),
        cause_(trace, activities, states, sums_),
        victim_(trace, activities, states, sums_) {}

  DelayCosts run(const std::vector<SyncInterval>& intervals) {
    if (rules_.wait_parts) result_.parts.resize(wait_patterns().size());
    for (const std::uint32_t i : latest_first(trace_, states_, intervals)) settle(i, intervals[i]);
    if (rules_.wait_parts) {
      const std::vector<double> propagating = propagation_.by_pattern(states_);
      for (std::size_t id = 0; id < propagating.size(); ++id) result_.parts[id].propagating = propagating[id];
    }
    for (auto& [key, cost] : costs_) result_.costs.push_back(std::move(cost));
    return std::move(result_);
  }

 private:
  void settle(std::uint32_t i, const SyncInterval& interval) {
    const WaitState& wait = states_.waits[i];
    const std::vector<double>& later = passed_on_.take(i);  // cost of the later waits this one led to
    if (rules_.scalasca && !scalasca_explains(wait.pattern)) {
      remainder(Remainder::NoCauseModel) += static_cast<double>(wait.wait.count());
      for (const double cost : later) remainder(Remainder::PassedOn) += cost;
      if (rules_.wait_parts) add_parts(wait, 0);
      return;
    }
    set_interval_times(wait, interval, cause_, victim_);
    const std::vector<ExcessTime>& excess = comparison_.compare(wait, interval, cause_, victim_);
    double delay = 0;
    for (const ExcessTime& part : excess) delay += part.nanoseconds;
    const Location location = wait.cause.location;
    const std::size_t whole_from = cause_.first_wait() + cause_.cut_waits();
    const auto cut = passed_on_.open_waits(location, cause_.first_wait(), whole_from, cause_.cut_share());
    const auto whole = passed_on_.open_waits(location, whole_from, cause_.last_wait(), 1);
    split(wait, later, delay + cut.nanoseconds + whole.nanoseconds);
    for (const ExcessTime& part : excess) charge(wait, part);
    passed_on_.add(cut, factor_);
    passed_on_.add(whole, factor_);
    if (!rules_.wait_parts) return;
    propagation_.add(cut, direct_);
    propagation_.add(whole, direct_);
    add_parts(wait, direct_ * (cut.nanoseconds + whole.nanoseconds));
  }

  void add_parts(const WaitState& wait, double indirect) {
    WaitParts& parts = result_.parts[static_cast<std::size_t>(wait.pattern)];
    parts.indirect += indirect;
    parts.direct += static_cast<double>(wait.wait.count()) - indirect;
  }

  // Sets factor_: what one nanosecond of excess, or of waiting before, costs in waits of each pattern.
  void split(const WaitState& wait, const std::vector<double>& later, double explaining) {
    const auto own = static_cast<double>(wait.wait.count());
    const double scale = explaining > 0 ? std::min(own / explaining, 1.0) : 0;
    const bool collective = pattern(wait.pattern).on_collective != nullptr;
    indirect_.assign(later.size(), 0);
    for (std::size_t p = 0; p < later.size(); ++p) {
      if (later[p] == 0) continue;
      // By default what a wait led to is explained to the same degree as the wait itself; Scalasca explains
      // all of it by the smallest excess, and never more than the excess in collectives.
      indirect_[p] = later[p] * scale / own;
      if (rules_.scalasca && explaining > 0) {
        indirect_[p] = collective ? std::min(later[p] / explaining, 1.0) : later[p] / explaining;
      }
      const auto lost = rules_.scalasca && explaining > 0 ? Remainder::Clamped : Remainder::NoExcess;
      remainder(lost) += later[p] - indirect_[p] * explaining;
    }
    remainder(Remainder::NoExcess) += own - scale * explaining;
    direct_ = scale;
    factor_ = indirect_;
    factor_[passed_on_.place(wait.pattern)] += scale;
  }

  void charge(const WaitState& wait, const ExcessTime& part) {
    if (!candidates_[activities_.slot(part.call_path)]) {
      for (const double factor : factor_) remainder(Remainder::NotHotspot) += factor * part.nanoseconds;
      return;
    }
    DelayCost& cost = cost_of(part.call_path, wait.cause.location);
    const bool message = pattern(wait.pattern).on_collective == nullptr;  // of two processes
    if (message || first_arrival_[wait.sync] == wait.victim) cost.excess += part.nanoseconds;
    cost.direct[static_cast<std::size_t>(wait.pattern)] += direct_ * part.nanoseconds;
    for (std::size_t p = 0; p < indirect_.size(); ++p) {
      cost.indirect[static_cast<std::size_t>(passed_on_.pattern_at(p))] += indirect_[p] * part.nanoseconds;
    }
  }

  DelayCost& cost_of(CallPathId path, Location location) {
    const auto [entry, is_new] = costs_.try_emplace(std::pair(path, location));
    if (is_new) {
      const std::vector<double> zeros(wait_patterns().size(), 0.0);
      entry->second = {path, location, 0, zeros, zeros};
    }
    return entry->second;
  }
  double& remainder(Remainder kind) { return result_.remainders[static_cast<std::size_t>(kind)]; }

  const Trace& trace_;
  const WaitStates& states_;
  const Activities& activities_;
  const std::vector<bool>& candidates_;
  AttributionRules rules_;
  PassedOn passed_on_;
  Propagation propagation_;
  std::vector<OpRef> first_arrival_;  // by collective instance
  ExcessComparison comparison_;
  ActivitySums sums_;
  IntervalTimes cause_, victim_;
  double direct_ = 0;
  std::vector<double> indirect_, factor_;  // by place of the pattern in passed_on_
  std::map<std::pair<CallPathId, Location>, DelayCost> costs_;
  DelayCosts result_;
};

}  // namespace

DelayCosts attribute(const Trace& trace, const SyncPoints& sync, const WaitStates& states,
                     const std::vector<SyncInterval>& intervals, const Activities& activities,
                     const std::vector<bool>& candidates, AttributionRules rules) {
  return Attribution(trace, sync, states, activities, candidates, rules).run(intervals);
}

}  // namespace waitdiag

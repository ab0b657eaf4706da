// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/diagnosis/causes/delay_costs.hpp"

#include <algorithm>
#include <map>
#include <numeric>
#include <optional>
#include <span>
#include <tuple>
#include <unordered_map>

#include "analyzer/diagnosis/causes/compared_waits.hpp"
#include "analyzer/diagnosis/causes/disjoint_sum.hpp"
#include "analyzer/diagnosis/causes/passed_on.hpp"
#include "analyzer/diagnosis/causes/propagation.hpp"
#include "analyzer/diagnosis/causes/work_of_threads.hpp"
#include "analyzer/diagnosis/intervals/wait_order.hpp"
#include "analyzer/trace/parallel/parallel.hpp"

namespace waitdiag {
namespace {

// By operation and the process that others waited for in it: the longest of these waits. Mostly there is one such
// process.
class LongestWaits {
 public:
  struct Longest {
    Location late{kNoOp};
    Duration wait{};
    OpRef victim{};
  };
  Longest& of(const WaitState& wait) {
    if (wait.sync >= of_first_.size()) of_first_.resize(std::size_t{wait.sync} + 1);
    Longest& first = of_first_[wait.sync];
    if (first.wait == Duration::zero()) first.late = wait.cause.location;
    return first.late == wait.cause.location
               ? first
               : of_others_[std::uint64_t{wait.sync} << 32 | index(wait.cause.location)];
  }

 private:
  std::vector<Longest> of_first_;  // by operation: for the first process that others waited for
  std::unordered_map<std::uint64_t, Longest> of_others_;
};

// By wait in a collective operation: is it of whoever came first of those that waited there for the same process?
// That is the victim of the longest wait.
std::vector<std::uint8_t> first_arrivals(const WaitStates& states) {
  LongestWaits longest;
  const auto for_each_collective = [&](auto visit) {
    for (std::size_t i = 0; i < states.waits.size(); ++i)
      if (const WaitState& wait = states.waits[i]; pattern(wait.pattern).on_collective != nullptr)
        visit(i, wait, longest.of(wait));
  };
  for_each_collective([](std::size_t, const WaitState& wait, LongestWaits::Longest& so_far) {
    if (wait.wait > so_far.wait) so_far = {wait.cause.location, wait.wait, wait.victim};
  });
  std::vector<std::uint8_t> is_first(states.waits.size(), 0);
  for_each_collective([&](std::size_t i, const WaitState& wait, const LongestWaits::Longest& of_all) {
    is_first[i] = wait.victim == of_all.victim ? 1 : 0;
  });
  return is_first;
}

class Attribution {
 public:
  Attribution(const Trace& trace, const WaitStates& states, const std::vector<SyncInterval>& intervals,
              const Activities& activities, const ActivitySums& sums, const std::vector<bool>& candidates,
              AttributionRules rules)
      : trace_(trace),
        states_(states),
        intervals_(intervals),
        activities_(activities),
        candidates_(candidates),
        rules_(rules),
        threads_(trace, states, activities,
                 rules.scalasca ? std::span<const ThreadNeed>() : rules.thread_needs),
        passed_on_(states),
        first_arrivals_(first_arrivals(states)),
        comparer_(trace, states, intervals, activities, sums, passed_on_, rules.usual, rules.scalasca),
        last_cost_(trace.timelines().size()) {}

  // Waits are settled one after the other; meanwhile the next ones are compared on the other cores.
  DelayCosts run() {
    result_.not_hotspots.resize(activities_.slots());
    if (rules_.wait_parts) result_.parts.resize(wait_patterns().size());
    if (rules_.culprits) culprits_.emplace(states_);
    const std::vector<std::uint32_t> order = latest_first(trace_, states_, intervals_);
    constexpr std::size_t kBlock = 512, kBlocks = 8;
    std::vector<ComparedWaits> now(kBlocks), next(kBlocks);
    for (std::size_t begin = 0; begin < order.size() + kBlocks * kBlock; begin += kBlocks * kBlock) {
      for_each_index(kBlocks + 1, [&](std::size_t i) {
        if (i == 0) {
          for (const ComparedWaits& block : now) settle(block);
        } else {
          const std::size_t first = std::min(begin + (i - 1) * kBlock, order.size());
          comparer_.compare(std::span(order).subspan(first, std::min(kBlock, order.size() - first)),
                            next[i - 1]);
        }
      });
      now.swap(next);
    }
    if (culprits_) result_.culprits = culprits_->resolve(order);
    if (rules_.wait_parts) {
      const std::vector<double> propagating = propagation_.by_pattern(states_);
      for (std::size_t id = 0; id < propagating.size(); ++id) result_.parts[id].propagating = propagating[id];
    }
    remainder(Remainder::NotHotspot) =
        std::accumulate(result_.not_hotspots.begin(), result_.not_hotspots.end(), 0.0);
    for (std::size_t i = 0; i < excess_.size(); ++i) result_.costs[i].excess = excess_[i].largest();
    std::sort(result_.costs.begin(), result_.costs.end(), [](const DelayCost& a, const DelayCost& b) {
      return std::tie(a.call_path, a.location) < std::tie(b.call_path, b.location);
    });
    return std::move(result_);
  }

 private:
  void settle(const ComparedWaits& block) {
    constexpr std::size_t kAhead = 8;
    std::uint32_t first = 0;
    for (std::size_t i = 0; i < block.waits.size(); ++i) {
      if (i + kAhead < block.waits.size()) expect(block.waits[i + kAhead]);
      const ComparedWait& wait = block.waits[i];
      const auto excess = std::span(block.excess).subspan(first, wait.excess_end - first);
      if (wait.is_cut) {
        settle_cut(wait, excess);
      } else {
        settle(wait, excess);
      }
      first = wait.excess_end;
    }
  }

  // It will be settled soon. Waits follow in the order of time, so each lies elsewhere in memory.
  void expect(const ComparedWait& compared) const {
    passed_on_.expect(compared.index);
    passed_on_.expect(compared.cut.first - 1);
    passed_on_.expect(compared.cut.last - 1);
    passed_on_.expect(compared.whole.last - 1);
  }

  void settle(const ComparedWait& compared, std::span<const ComparedExcess> excess) {
    const WaitState& wait = compared.wait;
    // Cost of the later waits this one led to.
    const std::vector<double>& later = passed_on_.take(compared.index, wait);
    if (!comparer_.looks_for_causes(wait)) {
      remainder(Remainder::NoCauseModel) += static_cast<double>(wait.wait.count());
      for (const double cost : later) remainder(Remainder::PassedOn) += cost;
      if (rules_.wait_parts) add_parts(wait, 0);
      return;
    }
    const Explaining by = explaining(compared, excess, static_cast<double>(wait.wait.count()));
    split(wait, later, by.nanoseconds);
    for (const ComparedExcess& part : excess) {
      if (!part.stalled && threads_.is_one(part.call_path)) {
        charge_threads(compared, part);
      } else if (const std::size_t place = charge(wait, part, wait.cause.location); place != kNowhere) {
        add_excess(compared, part, place);
      }
    }
    blamed_ = compared.index;
    pass_on(compared, by, excess);
    if (!rules_.wait_parts) return;
    propagation_.add(by.cut, direct_);
    propagation_.add(by.whole, direct_);
    add_parts(wait, direct_ * (by.cut.nanoseconds + by.whole.nanoseconds));
  }

  // Other work of the victim makes up for an excess, but not if the wait would remain unexplained.
  double counted(const ComparedExcess& part) const {
    return part.net + beyond_net_ * (part.nanoseconds - part.net);
  }

  // What made the causing process late: its excess, and how much longer than its victim it waited itself in
  // the interval. (Scalasca: all of its waits, even where both waited equally long.)
  struct Explaining {
    PassedOn::Waits cut, whole;
    double nanoseconds = 0;
  };
  // `wait`: to be explained, in nanoseconds.
  Explaining explaining(const ComparedWait& compared, std::span<const ComparedExcess> excess, double wait) {
    const Location location = compared.wait.cause.location;
    Explaining by;
    by.cut = passed_on_.open_waits(location, compared.cut, compared.cut_share);
    by.whole = passed_on_.open_waits(location, compared.whole, 1);
    if (const double waited = by.cut.nanoseconds + by.whole.nanoseconds; !rules_.scalasca && waited > 0) {
      const double longer = 1 - compared.victim_waited / waited;
      by.cut = by.cut.part_of(longer);
      by.whole = by.whole.part_of(longer);
    }
    const double passed_on = by.cut.nanoseconds + by.whole.nanoseconds;
    double net = 0, all = 0;
    for (const ComparedExcess& part : excess) {
      net += part.net;
      all += part.nanoseconds;
    }
    beyond_net_ = all > net ? std::clamp((wait - passed_on - net) / (all - net), 0.0, 1.0) : 0;
    by.nanoseconds = net + beyond_net_ * (all - net) + passed_on;
    return by;
  }

  // Passes costs on to earlier waits of the causing process; for one that is cut, to what prolonged it since
  // the cut.
  void pass_on(const ComparedWait& compared, const Explaining& by, std::span<const ComparedExcess> excess) {
    if (culprits_ && blamed_ != kNoOp) {
      culprits_->excess(blamed_, compared.wait.cause.location, excess);
      if (!culprits_->is_passed_on(by.cut, by.whole, excess)) {
        blamed_ = kNoOp;
      } else if (!compared.goes_on || by.whole.nanoseconds >= by.cut.nanoseconds) {
        culprits_->passed_on(blamed_, by.cut, by.whole);
        blamed_ = kNoOp;
      }
    }
    passed_on_.add(by.whole, factor_);
    cut_ = by.cut;
    if (!compared.goes_on) passed_on_.add(by.cut, factor_);
  }

  // Settles the part of a wait after the cut, at the cost in factor_.
  void settle_cut(const ComparedWait& compared, std::span<const ComparedExcess> excess) {
    if (cut_.first == cut_.last) return;  // clocks that disagree
    const Explaining by = explaining(compared, excess, cut_.nanoseconds);
    const double scale = by.nanoseconds > 0 ? std::min(cut_.nanoseconds / by.nanoseconds, 1.0) : 0;
    for (double& factor : factor_) {
      remainder(Remainder::NoExcess) += factor * (cut_.nanoseconds - scale * by.nanoseconds);
      factor *= scale;
    }
    indirect_ = factor_;
    direct_ = 0;
    for (const ComparedExcess& part : excess) charge(compared.wait, part, compared.wait.cause.location);
    pass_on(compared, by, excess);
  }

  void add_parts(const WaitState& wait, double indirect) {
    WaitParts& parts = result_.parts[static_cast<std::size_t>(wait.pattern)];
    parts.indirect += indirect;
    parts.direct += static_cast<double>(wait.wait.count()) - indirect;
  }

  // Sets factor_: what one nanosecond of excess, or of earlier waiting, costs in waits of each pattern.
  void split(const WaitState& wait, const std::vector<double>& later, double explaining) {
    const auto own = static_cast<double>(wait.wait.count());
    const double scale = explaining > 0 ? std::min(own / explaining, 1.0) : 0;
    const bool collective = pattern(wait.pattern).on_collective != nullptr;
    indirect_.assign(later.size(), 0);
    for (std::size_t p = 0; p < later.size(); ++p) {
      if (later[p] == 0) continue;
      // By default, later waits are explained to the same degree as the wait that led to them; Scalasca
      // explains all of them even by the smallest excess, and in collectives never more than the excess.
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

  // Returns which of the costs of the result it counts for.
  static constexpr std::size_t kNowhere = ~std::size_t{0};
  std::size_t charge(const WaitState& wait, const ComparedExcess& part, Location location) {
    if (part.stalled) {
      for (const double factor : factor_) remainder(Remainder::InsideMpi) += factor * counted(part);
      return kNowhere;
    }
    if (const std::size_t slot = activities_.slot(part.call_path); !candidates_[slot]) {
      for (const double factor : factor_) result_.not_hotspots[slot] += factor * counted(part);
      return kNowhere;
    }
    const std::size_t place = place_of(part.call_path, location);
    DelayCost& cost = result_.costs[place];
    const double nanoseconds = counted(part);
    if (direct_ > 0) cost.direct[static_cast<std::size_t>(wait.pattern)] += direct_ * nanoseconds;
    for (std::size_t p = 0; p < indirect_.size(); ++p)
      if (indirect_[p] != 0)
        cost.indirect[static_cast<std::size_t>(passed_on_.pattern_at(p))] += indirect_[p] * nanoseconds;
    return place;
  }

  // An excess in waiting for a thread is what that one did longer than the one that the victim waited for, or waited.
  void charge_threads(const ComparedWait& compared, const ComparedExcess& part) {
    const WaitState& wait = compared.wait;
    const SyncInterval& interval = intervals_[compared.index];
    const auto behind = [&](OpRef end, const IntervalSide& side) {
      return threads_.behind(part.call_path, end.location, side.start == kNoOp ? 0 : side.start + 1, end.op);
    };
    const WorkOfThreads late = behind(wait.cause, interval.cause),
                        other = behind(wait.victim, interval.victim);
    const double waited = std::max(0.0, late.waited - other.waited);
    double sum = waited;
    const auto longer = late.longer_than(other);
    for (const auto& [where, time] : longer) sum += time;
    double rest = counted(part);
    const double scale = sum > 0 ? std::min(1.0, rest / sum) : 0;
    const auto charge_one = [&](CallPathId path, double nanoseconds, Location location) {
      const ComparedExcess one{.call_path = path, .nanoseconds = nanoseconds, .net = nanoseconds};
      if (const std::size_t place = charge(wait, one, location); place != kNowhere)
        add_excess(compared, one, place);
    };
    for (const WorkOfThreads::Waited& one : late.waits) {
      const auto own = static_cast<double>(states_.waits[one.wait].wait.count());
      const double share = scale * waited / late.waited * one.nanoseconds / own;
      const PassedOn::Waits open = passed_on_.open_waits(
          one.location, {one.wait, one.wait + 1, states_.waits[one.wait].wait.count()}, share);
      passed_on_.add(open, factor_);
      rest -= open.nanoseconds;
    }
    for (const auto& [where, time] : longer) {
      if (time > 0) charge_one(activities_.call_path(where.first), scale * time, where.second);
      rest -= scale * time;
    }
    if (rest > 0) charge_one(part.call_path, rest, wait.cause.location);
  }

  void add_excess(const ComparedWait& compared, const ComparedExcess& part, std::size_t place) {
    const WaitState& wait = compared.wait;
    const bool message = pattern(wait.pattern).on_collective == nullptr;  // of two processes
    if (!message && first_arrivals_[compared.index] == 0) return;
    excess_[place].add(std::min(compared.begin, compared.end), compared.end, counted(part));
  }

  std::size_t place_of(CallPathId path, Location location) {
    LastCost& last = last_cost_[index(location)];
    if (last.place == kNowhere || last.call_path != path) last = {path, find_place(path, location)};
    return last.place;
  }
  std::size_t find_place(CallPathId path, Location location) {
    const std::uint64_t key = std::uint64_t{index(path)} << 32 | index(location);
    const auto [entry, is_new] = costs_.try_emplace(key, result_.costs.size());
    if (is_new) {
      const std::vector<double> zeros(wait_patterns().size(), 0.0);
      result_.costs.push_back({path, location, 0, zeros, zeros});
      excess_.emplace_back();
    }
    return entry->second;
  }
  struct LastCost {
    CallPathId call_path = kNoCallPath;
    std::size_t place = kNowhere;
  };
  double& remainder(Remainder kind) { return result_.remainders[static_cast<std::size_t>(kind)]; }

  const Trace& trace_;
  const WaitStates& states_;
  const std::vector<SyncInterval>& intervals_;
  const Activities& activities_;
  const std::vector<bool>& candidates_;
  AttributionRules rules_;
  ThreadStretches threads_;
  PassedOn passed_on_;
  Propagation propagation_;
  std::optional<WaitCulprits> culprits_;
  std::vector<std::uint8_t> first_arrivals_;  // by wait
  WaitComparer comparer_;
  PassedOn::Waits cut_;           // the waits that the next part of a cut wait concerns
  std::uint32_t blamed_ = kNoOp;  // the wait whose culprit the next part may still change
  double beyond_net_ = 0;         // see counted()
  double direct_ = 0;
  std::vector<double> indirect_, factor_;                 // by place of the pattern in passed_on_
  std::unordered_map<std::uint64_t, std::size_t> costs_;  // by call path and location: index in the result
  std::vector<LastCost> last_cost_;                       // by location: mostly it is the next one, too
  std::vector<DisjointSum> excess_;                       // like result_.costs
  DelayCosts result_;
};

}  // namespace

DelayCosts attribute(const Trace& trace, const WaitStates& states, const std::vector<SyncInterval>& intervals,
                     const Activities& activities, const ActivitySums& sums,
                     const std::vector<bool>& candidates, AttributionRules rules) {
  return Attribution(trace, states, intervals, activities, sums, candidates, rules).run();
}

}  // namespace waitdiag

// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/diagnosis/causes/delay_costs.hpp"

#include <algorithm>
#include <memory>
#include <numeric>
#include <optional>
#include <span>
#include <tuple>
#include <unordered_map>

#include "analyzer/diagnosis/causes/disjoint_sum.hpp"
#include "analyzer/diagnosis/causes/passed_on.hpp"
#include "analyzer/diagnosis/causes/propagation.hpp"
#include "analyzer/diagnosis/causes/wait_comparison.hpp"
#include "analyzer/diagnosis/intervals/wait_order.hpp"
#include "analyzer/trace/parallel/parallel.hpp"
#include "analyzer/trace/parallel/pool.hpp"

namespace waitdiag {
namespace {

// An operation, and the process that others waited for in it.
std::uint64_t late_in(const WaitState& wait) {
  return std::uint64_t{wait.sync} << 32 | index(wait.cause.location);
}

// By late_in(): the participant that came first of those that waited for it, the victim of the longest wait.
std::unordered_map<std::uint64_t, OpRef> first_arrivals(const WaitStates& states) {
  struct Longest {
    Duration wait{};
    OpRef victim{};
  };
  std::unordered_map<std::uint64_t, Longest> longest;
  for (const WaitState& wait : states.waits) {
    if (pattern(wait.pattern).on_collective == nullptr) continue;
    Longest& so_far = longest[late_in(wait)];
    if (wait.wait > so_far.wait) so_far = {wait.wait, wait.victim};
  }
  std::unordered_map<std::uint64_t, OpRef> victims;
  for (const auto& [late, of] : longest) victims.emplace(late, of.victim);
  return victims;
}

// Some waits with the result of comparing both sides of each: everything that does not depend on the waits
// settled before.
struct Compared {
  struct Wait {
    std::uint32_t index = 0;                                    // in WaitStates::waits
    std::uint32_t excess_end = 0;                               // after the last excess time of this wait
    std::size_t first_wait = 0, whole_from = 0, last_wait = 0;  // of the causing process, in the interval
    double cut_share = 1;
    double victim_waited = 0;  // nanoseconds that the victim waited in its side of the interval
    bool is_cut = false;       // the part of a wait that is cut by the interval of the previous one
    bool goes_on = false;      // the next entry is such a part of this one's interval

    bool cuts_one() const { return whole_from == first_wait + 1 && cut_share > 0; }
  };
  std::vector<Wait> waits;
  std::vector<ExcessTime> excess;
};

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
        passed_on_(states),
        first_arrival_(first_arrivals(states)),
        comparisons_([&trace, &activities, &states, &sums, rules] {
          const OpeningCall opening = rules.scalasca ? OpeningCall::Scalasca : OpeningCall::Completion;
          return std::make_unique<WaitComparison>(trace, activities, states, sums, opening);
        }) {}

  // Waits are settled one after the other; meanwhile the next ones are compared on the other cores.
  DelayCosts run() {
    result_.not_hotspots.resize(activities_.slots());
    if (rules_.wait_parts) result_.parts.resize(wait_patterns().size());
    if (rules_.culprits) culprits_.emplace(states_);
    const std::vector<std::uint32_t> order = latest_first(trace_, states_, intervals_);
    constexpr std::size_t kBlock = 1024, kBlocks = 16;
    std::vector<Compared> now(kBlocks), next(kBlocks);
    for (std::size_t begin = 0; begin < order.size() + kBlocks * kBlock; begin += kBlocks * kBlock) {
      for_each_index(kBlocks + 1, [&](std::size_t i) {
        if (i == 0) {
          for (const Compared& block : now) settle(block);
        } else {
          const std::size_t first = std::min(begin + (i - 1) * kBlock, order.size());
          compare(std::span(order).subspan(first, std::min(kBlock, order.size() - first)), next[i - 1]);
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
  bool looks_for_causes(const WaitState& wait) const {
    return !rules_.scalasca || pattern(wait.pattern).scalasca_explains;
  }

  void compare(std::span<const std::uint32_t> waits, Compared& compared) {
    compared.waits.clear();
    compared.excess.clear();
    comparisons_.with([&](WaitComparison& comparison) {
      comparison.forget();
      for (const std::uint32_t i : waits) {
        const WaitState& wait = states_.waits[i];
        if (!looks_for_causes(wait)) {
          compared.waits.push_back(
              {.index = i, .excess_end = static_cast<std::uint32_t>(compared.excess.size())});
          continue;
        }
        compare_one(i, intervals_[i], comparison, compared);
        if (compared.waits.back().cuts_one()) follow_cut(intervals_[i].cause.from, compared);
      }
    });
  }

  void compare_one(std::uint32_t i, const SyncInterval& interval, WaitComparison& comparison,
                   Compared& compared) const {
    const auto& excess = comparison.compare(states_.waits[i], interval);
    compared.excess.insert(compared.excess.end(), excess.begin(), excess.end());
    const IntervalTimes& cause = comparison.cause();
    compared.waits.push_back(
        {.index = i,
         .excess_end = static_cast<std::uint32_t>(compared.excess.size()),
         .first_wait = cause.first_wait(),
         .whole_from = cause.first_wait() + cause.cut_waits(),
         .last_wait = cause.last_wait(),
         .cut_share = cause.cut_share(),
         .victim_waited = waited_in(states_.waits[i].victim.location, comparison.victim())});
  }

  double waited_in(Location location, const IntervalTimes& side) const {
    const std::size_t first = side.first_wait(), whole_from = first + side.cut_waits();
    return side.cut_share() * passed_on_.waited(location, first, whole_from) +
           passed_on_.waited(location, whole_from, side.last_wait());
  }

  // An interval may begin in the middle of a wait. What prolonged that wait from then on lies in an interval
  // that begins at the same instant, possibly again in the middle of a wait.
  void follow_cut(Time cut, Compared& compared) {
    constexpr int kLongestChain = 16;
    comparisons_.with([&](WaitComparison& comparison) {
      comparison.forget();
      for (int link = 0; link < kLongestChain && compared.waits.back().cuts_one(); ++link) {
        const Compared::Wait& late = compared.waits.back();
        const Location location = states_.waits[late.index].cause.location;
        const auto i = static_cast<std::uint32_t>(states_.first_wait[index(location)] + late.first_wait);
        const WaitState& wait = states_.waits[i];
        if (!looks_for_causes(wait) || trace_.enter(wait.cause) <= cut) return;
        const bool is_cut = begin_of(trace_.timeline(wait.cause.location), intervals_[i].cause) < cut;
        if (is_cut && computes_at(wait.cause, cut)) return;
        compared.waits.back().goes_on = true;
        compare_one(i,
                    {side_from(wait.cause, intervals_[i].cause, cut),
                     side_from(wait.victim, intervals_[i].victim, cut)},
                    comparison, compared);
        compared.waits.back().is_cut = true;
      }
    });
  }

  // Is the location in the middle of computation at this instant, which is before `end`? Then it was made
  // late by all that it did, not only by what it happened to do from then on.
  bool computes_at(OpRef end, Time instant) const {
    const Timeline& timeline = trace_.timeline(end.location);
    const std::uint32_t over = side_behind(timeline, instant, end.op).start;
    const std::uint32_t gap = over == kNoOp ? 0 : over + 1;
    return timeline.gap_begin(gap) < instant && instant < timeline.gap_end(gap);
  }

  IntervalSide side_from(OpRef end, const IntervalSide& side, Time cut) const {
    const Timeline& timeline = trace_.timeline(end.location);
    return begin_of(timeline, side) < cut ? side_behind(timeline, cut, end.op) : side;
  }

  void settle(const Compared& block) {
    std::uint32_t first = 0;
    for (const Compared::Wait& wait : block.waits) {
      const auto excess = std::span(block.excess).subspan(first, wait.excess_end - first);
      if (wait.is_cut) {
        settle_cut(wait, excess);
      } else {
        settle(wait, excess);
      }
      first = wait.excess_end;
    }
  }

  void settle(const Compared::Wait& compared, std::span<const ExcessTime> excess) {
    const WaitState& wait = states_.waits[compared.index];
    // Cost of the later waits this one led to.
    const std::vector<double>& later = passed_on_.take(compared.index);
    if (!looks_for_causes(wait)) {
      remainder(Remainder::NoCauseModel) += static_cast<double>(wait.wait.count());
      for (const double cost : later) remainder(Remainder::PassedOn) += cost;
      if (rules_.wait_parts) add_parts(wait, 0);
      return;
    }
    const Explaining by = explaining(compared, excess, static_cast<double>(wait.wait.count()));
    split(wait, later, by.nanoseconds);
    const Time begin = begin_of(trace_.timeline(wait.cause.location), intervals_[compared.index].cause);
    for (const ExcessTime& part : excess) {
      charge(wait, part);
      add_excess(wait, begin, part);
    }
    blamed_ = compared.index;
    pass_on(compared, by, excess);
    if (!rules_.wait_parts) return;
    propagation_.add(by.cut, direct_);
    propagation_.add(by.whole, direct_);
    add_parts(wait, direct_ * (by.cut.nanoseconds + by.whole.nanoseconds));
  }

  // Other work of the victim makes up for an excess, but not if the wait would remain unexplained.
  double counted(const ExcessTime& part) const {
    return part.net + beyond_net_ * (part.nanoseconds - part.net);
  }

  // What made the causing process late: its excess, and how much longer than its victim it waited itself in
  // the interval. (Scalasca: all of its waits, even where both waited equally long.)
  struct Explaining {
    PassedOn::Waits cut, whole;
    double nanoseconds = 0;
  };
  // `wait`: to be explained, in nanoseconds.
  Explaining explaining(const Compared::Wait& compared, std::span<const ExcessTime> excess, double wait) {
    const Location location = states_.waits[compared.index].cause.location;
    Explaining by;
    by.cut = passed_on_.open_waits(location, compared.first_wait, compared.whole_from, compared.cut_share);
    by.whole = passed_on_.open_waits(location, compared.whole_from, compared.last_wait, 1);
    if (const double waited = by.cut.nanoseconds + by.whole.nanoseconds; !rules_.scalasca && waited > 0) {
      const double longer = 1 - compared.victim_waited / waited;
      by.cut = by.cut.part_of(longer);
      by.whole = by.whole.part_of(longer);
    }
    const double passed_on = by.cut.nanoseconds + by.whole.nanoseconds;
    double net = 0, all = 0;
    for (const ExcessTime& part : excess) {
      net += part.net;
      all += part.nanoseconds;
    }
    beyond_net_ = all > net ? std::clamp((wait - passed_on - net) / (all - net), 0.0, 1.0) : 0;
    by.nanoseconds = net + beyond_net_ * (all - net) + passed_on;
    return by;
  }

  // Passes costs on to earlier waits of the causing process; for one that is cut, to what prolonged it since
  // the cut.
  void pass_on(const Compared::Wait& compared, const Explaining& by, std::span<const ExcessTime> excess) {
    if (culprits_ && blamed_ != kNoOp) {
      culprits_->excess(blamed_, states_.waits[compared.index].cause.location, excess);
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
  void settle_cut(const Compared::Wait& compared, std::span<const ExcessTime> excess) {
    if (cut_.first == cut_.last) return;  // clocks that disagree
    const Explaining by = explaining(compared, excess, cut_.nanoseconds);
    const double scale = by.nanoseconds > 0 ? std::min(cut_.nanoseconds / by.nanoseconds, 1.0) : 0;
    for (double& factor : factor_) {
      remainder(Remainder::NoExcess) += factor * (cut_.nanoseconds - scale * by.nanoseconds);
      factor *= scale;
    }
    indirect_ = factor_;
    direct_ = 0;
    for (const ExcessTime& part : excess) charge(states_.waits[compared.index], part);
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

  void charge(const WaitState& wait, const ExcessTime& part) {
    if (part.stalled) {
      for (const double factor : factor_) remainder(Remainder::InsideMpi) += factor * counted(part);
      return;
    }
    if (const std::size_t slot = activities_.slot(part.call_path); !candidates_[slot]) {
      for (const double factor : factor_) result_.not_hotspots[slot] += factor * counted(part);
      return;
    }
    DelayCost& cost = result_.costs[place_of(part.call_path, wait.cause.location)];
    cost.direct[static_cast<std::size_t>(wait.pattern)] += direct_ * counted(part);
    for (std::size_t p = 0; p < indirect_.size(); ++p) {
      cost.indirect[static_cast<std::size_t>(passed_on_.pattern_at(p))] += indirect_[p] * counted(part);
    }
  }

  // `begin`: of the interval in which the excess arose.
  void add_excess(const WaitState& wait, Time begin, const ExcessTime& part) {
    if (part.stalled || !candidates_[activities_.slot(part.call_path)]) return;
    const bool message = pattern(wait.pattern).on_collective == nullptr;  // of two processes
    if (!message && first_arrival_.at(late_in(wait)) != wait.victim) return;
    const Time end = trace_.enter(wait.cause);
    excess_[place_of(part.call_path, wait.cause.location)].add(std::min(begin, end), end, counted(part));
  }

  std::size_t place_of(CallPathId path, Location location) {
    const std::uint64_t key = std::uint64_t{index(path)} << 32 | index(location);
    const auto [entry, is_new] = costs_.try_emplace(key, result_.costs.size());
    if (is_new) {
      const std::vector<double> zeros(wait_patterns().size(), 0.0);
      result_.costs.push_back({path, location, 0, zeros, zeros});
      excess_.emplace_back();
    }
    return entry->second;
  }
  double& remainder(Remainder kind) { return result_.remainders[static_cast<std::size_t>(kind)]; }

  const Trace& trace_;
  const WaitStates& states_;
  const std::vector<SyncInterval>& intervals_;
  const Activities& activities_;
  const std::vector<bool>& candidates_;
  AttributionRules rules_;
  PassedOn passed_on_;
  Propagation propagation_;
  std::optional<WaitCulprits> culprits_;
  std::unordered_map<std::uint64_t, OpRef> first_arrival_;  // by late_in()
  Pool<WaitComparison> comparisons_;
  PassedOn::Waits cut_;           // the waits that the next part of a cut wait concerns
  std::uint32_t blamed_ = kNoOp;  // the wait whose culprit the next part may still change
  double beyond_net_ = 0;         // see counted()
  double direct_ = 0;
  std::vector<double> indirect_, factor_;                 // by place of the pattern in passed_on_
  std::unordered_map<std::uint64_t, std::size_t> costs_;  // by call path and location: index in the result
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

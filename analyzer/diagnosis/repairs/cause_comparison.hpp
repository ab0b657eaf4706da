// What late ranks ran longer of the causes than one victim, which is compared with many. Where computation is
// known exactly that is a difference of sums: how long the intervals are does not matter. For one thread at a
// time.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "analyzer/diagnosis/causes/wait_comparison.hpp"
#include "analyzer/diagnosis/repairs/cause_places.hpp"
#include "analyzer/diagnosis/repairs/usual_times.hpp"

namespace waitdiag {

class CauseComparison {
 public:
  CauseComparison(WaitComparison comparison, const CausePlaces& places, const UsualTimes& usual)
      : comparison_(std::move(comparison)), places_(places), usual_(usual), ran_(places.causes()) {}

  // The next comparison does not build on the last one: otherwise the rounding of sums would depend on it.
  void forget() { comparison_.forget(); }

  void set_victim(OpRef call, const IntervalSide& side) {
    victim_ = call;
    victim_side_ = side;
    is_set_ = is_known_ = false;
  }
  // By cause, exactly.
  const std::vector<double>& victim_ran() {
    if (!is_known_) find_victim_ran();
    return victim_ran_;
  }
  // What is not exact.
  const SampledTime& victim_sampled() {
    static const SampledTime none;
    return places_.has_all_sums() ? none : whole().victim_sampled();
  }
  // With that victim: all that it did.
  WaitComparison& whole() {
    if (!is_set_) comparison_.set_victim(victim_, victim_side_);
    is_set_ = true;
    return comparison_;
  }

  // Calls visit(cause, its excess) for those that wanted(cause), in an interval that ends with `call`.
  template <typename Wanted, typename Visit>
  void compare(OpRef call, const IntervalSide& side, Wanted wanted, Visit visit) {
    if (places_.has_all_sums() && visit_sums(call, side, wanted, visit)) return;
    is_set_ = true;
    for (const ExcessTime& part :
         comparison_.compare({.victim = victim_, .cause = call}, {side, victim_side_})) {
      const std::uint32_t i = part.stalled ? kNoOp : places_.number(part.call_path);
      if (i != kNoOp && wanted(i)) visit(i, part);
    }
  }

 private:
  void find_victim_ran() {
    is_known_ = true;
    victim_ran_.assign(places_.causes(), 0);
    if (places_.has_all_sums()) return places_.add_times(victim_, victim_side_, victim_ran_);
    const IntervalTimes& did = whole().victim();
    for (std::uint32_t i = 0; i < places_.causes(); ++i)
      victim_ran_[i] = std::max(0.0, static_cast<double>(did[places_.activity(i)].count()));
  }
  // False, and nothing is visited: all that both did has to be known.
  template <typename Wanted, typename Visit>
  bool visit_sums(OpRef call, const IntervalSide& side, Wanted wanted, Visit visit) {
    const std::vector<double>& victim = victim_ran();
    std::ranges::fill(ran_, 0);
    places_.add_times(call, side, ran_);
    const auto is_longer = [&](std::uint32_t i) { return ran_[i] > victim[i] && wanted(i); };
    for (std::uint32_t i = 0; i < ran_.size(); ++i)
      if (one_sided(ran_[i], victim[i]) > 0 && usual_.asks_instead(victim_.location, i) && is_longer(i))
        return false;
    for (std::uint32_t i = 0; i < ran_.size(); ++i)
      if (is_longer(i))
        visit(i, {.nanoseconds = ran_[i] - victim[i], .one_sided = one_sided(ran_[i], victim[i])});
    return true;
  }

  WaitComparison comparison_;
  const CausePlaces& places_;
  const UsualTimes& usual_;
  OpRef victim_;
  IntervalSide victim_side_;
  bool is_set_ = false, is_known_ = false;  // in comparison_; in victim_ran_
  std::vector<double> victim_ran_{}, ran_;  // by cause
};

}  // namespace waitdiag

// Some waits with the result of comparing both sides of each: everything that does not depend on the waits
// settled before, and all that settling them needs to know.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "analyzer/diagnosis/causes/passed_on.hpp"
#include "analyzer/diagnosis/causes/wait_comparison.hpp"
#include "analyzer/trace/parallel/pool.hpp"

namespace waitdiag {

struct ComparedWait {
  WaitState wait;
  std::uint32_t index = 0;       // in WaitStates::waits
  std::uint32_t excess_end = 0;  // after the last excess time of this wait
  Time begin{}, end{};           // of the causing process, in the interval
  PassedOn::Stretch cut{};       // its waits there: of these only a share lies in the interval
  PassedOn::Stretch whole{};     // the ones after that
  double cut_share = 1;
  double victim_waited = 0;  // nanoseconds that the victim waited in its side of the interval
  bool is_cut = false;       // the part of a wait that is cut by the interval of the previous one
  bool goes_on = false;      // the next entry is such a part of this one's interval

  bool cuts_one() const { return cut.last == cut.first + 1 && cut_share > 0; }
};

struct ComparedWaits {
  std::vector<ComparedWait> waits;
  std::vector<ComparedExcess> excess;
};

class WaitComparer {
 public:
  WaitComparer(const Trace& trace, const WaitStates& states, const std::vector<SyncInterval>& intervals,
               const Activities& activities, const ActivitySums& sums, const PassedOn& passed_on,
               const UsualParts* usual, bool scalasca);

  bool looks_for_causes(const WaitState& wait) const {
    return !scalasca_ || pattern(wait.pattern).scalasca_explains;
  }
  // Those of `waits`, and the parts of waits that their intervals cut. By several threads at a time.
  void compare(std::span<const std::uint32_t> waits, ComparedWaits& compared);

 private:
  void expect(std::span<const std::uint32_t> next) const;
  void compare_one(std::uint32_t i, const SyncInterval& interval, WaitComparison& comparison,
                   ComparedWaits& compared) const;
  double waited_in(Location location, const IntervalTimes& side) const;
  void follow_cut(Time cut, ComparedWaits& compared);
  bool computes_at(OpRef end, Time instant) const;
  IntervalSide side_from(OpRef end, const IntervalSide& side, Time cut) const;

  const Trace& trace_;
  const WaitStates& states_;
  const std::vector<SyncInterval>& intervals_;
  const ActivitySums& sums_;
  const PassedOn& passed_on_;
  bool scalasca_;
  Pool<WaitComparison> comparisons_;
};

}  // namespace waitdiag

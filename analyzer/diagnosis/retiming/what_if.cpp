// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/diagnosis/retiming/what_if.hpp"

#include <utility>

namespace waitdiag {

WhatIf what_if(const Trace& trace, const SyncPoints& sync, const WaitStates& states,
               std::vector<SyncInterval> intervals, const Activities& activities, const ActivitySums& sums,
               const Profile& profile, const Steps& steps, std::span<const CallPathId> causes,
               const DividedRun& run) {
  const Dependencies dependencies(trace, sync, states);
  WhatIf result;
  std::vector<Change> changes =
      repairs(trace, states, std::move(intervals), activities, sums, dependencies, profile, steps, causes);
  changes.push_back({.savings = {}, .no_transfer = true});
  for (const Time end : retimed_ends(trace, dependencies, changes))
    result.runtime.push_back(end - trace.begin());
  result.ideal_runtime = result.runtime.back();
  result.runtime.pop_back();
  changes.pop_back();
  result.repairs = std::move(changes);
  result.path = critical_path(trace, dependencies, activities);
  result.parts = part_times(trace, dependencies, result.path, run);
  return result;
}

}  // namespace waitdiag

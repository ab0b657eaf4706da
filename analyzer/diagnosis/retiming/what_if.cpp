// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/diagnosis/retiming/what_if.hpp"

#include <utility>

#include "analyzer/trace/parallel/parallel.hpp"

namespace waitdiag {

WhatIf what_if(const Trace& trace, const SyncPoints& sync, const WaitStates& states,
               std::vector<SyncInterval> intervals, const Activities& activities, const ActivitySums& sums,
               const Profile& profile, const Steps& steps, std::span<const CallPathId> causes,
               const DividedRun& run, CurvePoints points) {
  const Dependencies dependencies(trace, sync, states);
  WhatIf result;
  std::vector<Change> changes =
      repairs(trace, states, std::move(intervals), activities, sums, dependencies, profile, steps, causes);
  CurvePlan plan(trace, changes, points);
  changes.push_back({.savings = {}, .no_transfer = true});
  for (Change& change : plan.take_changes()) changes.push_back(std::move(change));
  std::vector<Time> ends;
  for_each_index(2, [&](std::size_t i) {  // the path is followed by one thread
    if (i == 0) {
      result.path = critical_path(trace, dependencies, activities, sums.stalled());
      result.parts = part_times(trace, dependencies, result.path, run);
    } else {
      ends = retimed_ends(trace, dependencies, changes);
    }
  });
  std::vector<Duration> runtime;
  for (const Time end : ends) runtime.push_back(end - trace.begin());
  const std::span<const Duration> all = runtime;
  result.curves = std::move(plan).curves(trace.end() - trace.begin(), all.first(causes.size()),
                                         all.subspan(causes.size() + 1));
  result.ideal_runtime = runtime[causes.size()];
  runtime.resize(causes.size());
  result.runtime = std::move(runtime);
  changes.resize(causes.size());
  result.repairs = std::move(changes);
  return result;
}

}  // namespace waitdiag

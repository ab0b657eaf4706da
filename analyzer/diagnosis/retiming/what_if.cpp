// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/diagnosis/retiming/what_if.hpp"

#include <map>
#include <utility>

#include "analyzer/diagnosis/activities/functions_called.hpp"
#include "analyzer/trace/parallel/parallel.hpp"

namespace waitdiag {
namespace {

std::vector<Together> in_one_function(const Trace& trace, const Profile& profile,
                                      std::span<const CallPathId> causes) {
  const FunctionsCalled functions(trace, profile);
  std::map<RegionId, Together> by_function;
  for (std::size_t i = 0; i < causes.size(); ++i) {
    const CallPathId function = functions.asked_for(causes[i]);
    if (function != kNoCallPath && !trace.region(function).operation())
      by_function[functions.function(function)].causes.push_back(i);
  }
  std::vector<Together> several;
  for (auto& [function, one] : by_function)
    if (one.causes.size() > 1) several.push_back(std::move(one));
  return several;
}

}  // namespace

WhatIf what_if(const Trace& trace, const SyncPoints& sync, const WaitStates& states,
               std::vector<SyncInterval> intervals, const Activities& activities, const ActivitySums& sums,
               const Profile& profile, const Steps& steps, std::span<const CallPathId> causes,
               const DividedRun& run, CurvePoints points) {
  const Dependencies dependencies(trace, sync, states);
  WhatIf result;
  std::vector<Change> changes =
      repairs(trace, states, std::move(intervals), activities, sums, dependencies, profile, steps, causes);
  CurvePlan plan(trace, changes, points);
  result.together = in_one_function(trace, profile, causes);
  changes.push_back({.savings = {}, .no_transfer = true});
  for (const Together& function : result.together) {
    Change all = changes[function.causes.front()];
    for (const std::size_t other : std::span(function.causes).subspan(1))
      all = both_repairs(all, changes[other]);
    changes.push_back(std::move(all));
  }
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
                                         all.subspan(causes.size() + 1 + result.together.size()));
  result.ideal_runtime = runtime[causes.size()];
  for (std::size_t i = 0; i < result.together.size(); ++i)
    result.together[i].runtime = runtime[causes.size() + 1 + i];
  runtime.resize(causes.size());
  result.runtime = std::move(runtime);
  changes.resize(causes.size());
  result.repairs = std::move(changes);
  return result;
}

}  // namespace waitdiag

// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/diagnosis/repairs/what_if.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <optional>
#include <utility>

#include "analyzer/diagnosis/activities/functions_called.hpp"
#include "analyzer/diagnosis/repairs/lost_beside.hpp"
#include "analyzer/diagnosis/serving/served_run.hpp"
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

// Where messages would come in another order, and that matters, that one counts. Which changes are those?
std::vector<bool> serve_in_any_order(const ServedRun& served, std::span<const Change> changes,
                                     std::vector<Time>& ends) {
  constexpr double kMatters = 0.005;  // of the run time
  std::vector<std::uint8_t> other(changes.size());
  const double run = static_cast<double>((served.trace().end() - served.trace().begin()).count());
  for_each_index(served.any() ? changes.size() : 0, [&](std::size_t i) {
    if (timed(changes[i]).empty() || changes[i].no_transfer || changes[i].transfer != 1) return;
    std::optional<Time> end = served.end(changes[i]);
    if (!end) return;
    // Ranks that are earlier may meet others at worse times: a repair saves nothing then.
    end = std::min(*end, served.trace().end());
    other[i] = std::abs(static_cast<double>((*end - ends[i]).count())) > kMatters * run ? 1 : 0;
    if (other[i] != 0 || !changes[i].shared.empty()) ends[i] = *end;
  });
  return {other.begin(), other.end()};
}

}  // namespace

WhatIf what_if(const Trace& trace, const SyncPoints& sync, const WaitStates& states,
               std::vector<SyncInterval> intervals, const Activities& activities, const ActivitySums& sums,
               const Profile& profile, const Steps& steps, std::span<const CallPathId> causes,
               std::span<const double> waited, const DividedRun& run, CurvePoints points) {
  const Dependencies dependencies(trace, sync, states);
  WhatIf result;
  const ServedRun served(trace, sync, states, dependencies);
  std::vector<Change> changes =
      repairs(trace, states, std::move(intervals), activities, sums, dependencies, profile, steps, causes,
              find_task_pools(trace, sync, served.services()), waited);
  add_lost_beside(trace, sums.stalled(), dependencies, causes, changes);
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
  const std::vector<bool> in_any_order = serve_in_any_order(served, changes, ends);
  for (std::size_t i = 0; i < changes.size(); ++i)
    changes[i].in_any_order = in_any_order[i] || !changes[i].shared.empty();
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

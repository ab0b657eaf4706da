// What the run would be without each of its causes, and on an ideal network; and its critical path.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>
#include <vector>

#include "analyzer/diagnosis/repairs/savings.hpp"
#include "analyzer/diagnosis/repairs/what_if_curves.hpp"
#include "analyzer/diagnosis/retiming/critical_path.hpp"
#include "analyzer/diagnosis/retiming/part_times.hpp"

namespace waitdiag {

// Causes in one function, which is called from several places.
struct Together {
  std::vector<std::size_t> causes;  // their numbers
  Duration runtime{};               // run time without the excess of all of them
};

struct WhatIf {
  std::vector<Duration> runtime;  // run time without the excess of each cause, in their order
  Duration ideal_runtime{};       // run time if MPI calls took no time of their own
  CriticalPath path;
  PartTimes parts;              // of `run`
  std::vector<Change> repairs;  // what `runtime` was timed with
  std::vector<Together> together;
  WhatIfCurves curves;  // of changes in part, if asked for
};

// `waited`: what all ranks waited for each cause, in nanoseconds. `intervals` are freed: they are large, and the last stage needs the most memory.
WhatIf what_if(const Trace& trace, const SyncPoints& sync, const WaitStates& states,
               std::vector<SyncInterval> intervals, const Activities& activities, const ActivitySums& sums,
               const Profile& profile, const Steps& steps, std::span<const CallPathId> causes,
               std::span<const double> waited, const DividedRun& run, CurvePoints points);

}  // namespace waitdiag

// What it means to repair a cause: which parts of the run get shorter when a call path no longer takes longer
// on the late ranks than on those that came first.
//
// For every wait that the call path had a part in, its excess over the victim (excess.hpp) is removed from
// the computation between the last synchronisation and the wait. All of it is removed, even where it is more
// than the wait because the victim did something else in the meantime: then others wait for the victim. Other
// ranks that the victim would have to wait for next, in the same call or in those that follow it, are treated
// in the same way: each loses its own excess over the victim. Otherwise the last but one would simply take
// the last one's place. What the victim did not run at all in its interval is compared with what is usual
// instead (usual_times.hpp). An excess that several waits share is removed once; no time becomes negative.
//
// Processors that others had are another matter: a rank with a processor of its own loses none, so all of that time is
// removed on all ranks.
//
// The late rank then arrives earlier, and may have to wait where it did not before: for the ranks of its
// group that are as slow as it is. They lose their excess over the same victim, and so do those that they
// need next. But they lose it only where a call path takes a rank longer than the victim over the whole run
// as well: in a pipeline, at any time every rank has done more than the next one, although none is slow.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>
#include <vector>

#include "analyzer/diagnosis/activities/profile.hpp"
#include "analyzer/diagnosis/causes/activity_sums.hpp"
#include "analyzer/diagnosis/intervals/sync_intervals.hpp"
#include "analyzer/diagnosis/retiming/retime.hpp"
#include "analyzer/diagnosis/serving/task_pools.hpp"
#include "analyzer/diagnosis/steps/steps.hpp"

namespace waitdiag {

// One change for each of `call_paths`, in their order. `waited`: what all ranks waited for each of them, in nanoseconds;
// unknown: long visits are not looked for (long_visits.hpp). // `intervals` are freed before memory use peaks.
std::vector<Change> repairs(const Trace& trace, const WaitStates& states, std::vector<SyncInterval> intervals,
                            const Activities& activities, const ActivitySums& sums,
                            const Dependencies& dependencies, const Profile& profile, const Steps& steps,
                            std::span<const CallPathId> call_paths, std::span<const TaskPool> pools = {},
                            std::span<const double> waited = {});

}  // namespace waitdiag

// What it means to repair a cause: which parts of the run get shorter when a call path no longer takes longer
// on the late ranks than on those that came first.
//
// For every wait that the call path had a part in, its excess over the victim (excess.hpp) is taken away from
// what lies between the last synchronisation and the wait. All of it, even where it is more than the wait
// because the victim did something else in the meantime: then the victim is the one to be waited for. Others
// that the victim would have to wait for next, in the same call or in those that follow it, are treated
// alike: each loses its own excess over the victim. Otherwise the last but one would only take the last one's
// place. What the victim did not run at all in its interval is compared with what is usual instead
// (usual_times.hpp). An excess that several waits have in common is taken away once; nothing becomes negative.
//
// The late rank itself comes earlier then, and may have to wait where it did not: for the ranks of its group,
// that are as slow as it is. They lose their excess over the same victim, and so do those that they need
// next. But only what takes a rank longer than the victim over the whole run as well: in a pipeline every
// rank has done more than the next one at any time, and none is slow.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>
#include <vector>

#include "analyzer/diagnosis/causes/activity_sums.hpp"
#include "analyzer/diagnosis/causes/profile.hpp"
#include "analyzer/diagnosis/intervals/sync_intervals.hpp"
#include "analyzer/diagnosis/retiming/retime.hpp"
#include "analyzer/diagnosis/steps/steps.hpp"

namespace waitdiag {

// One change for each of `call_paths`, in their order. `intervals` are given up before the most memory is
// needed.
std::vector<Change> repairs(const Trace& trace, const WaitStates& states, std::vector<SyncInterval> intervals,
                            const Activities& activities, const ActivitySums& sums,
                            const Dependencies& dependencies, const Profile& profile, const Steps& steps,
                            std::span<const CallPathId> call_paths);

}  // namespace waitdiag

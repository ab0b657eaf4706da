// What stands behind the waits: who else was late where only the longest wait counts, which sends needed
// their receivers, and whose clocks contradict each other.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "analyzer/diagnosis/patterns/wait_states.hpp"
#include "analyzer/results/report.hpp"
#include "analyzer/trace/model/trace.hpp"

namespace waitdiag {

// To the rows of `report.waits`.
void add_candidates(const Trace& trace, const WaitStates& states, Report& report);
// To `report.run`, and to the summary of Late Receiver where the eager limit decided. Not with Scalasca's
// rules, which have none.
void add_eager_limit(const WaitStates& states, Report& report);
void add_clock_violations(const SyncPoints& sync, const WaitStates& states, Report& report);

}  // namespace waitdiag

// The parts of a report, and what fills them. Each is one file.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "analyzer/diagnose.hpp"
#include "analyzer/diagnosis/characteristics/message_profile.hpp"
#include "analyzer/diagnosis/patterns/wait_states.hpp"
#include "analyzer/diagnosis/resources/file_use.hpp"
#include "analyzer/diagnosis/resources/resource_use.hpp"
#include "analyzer/diagnosis/steps/step_matrix.hpp"
#include "analyzer/results/report.hpp"
#include "analyzer/summary/make_report.hpp"
#include "analyzer/trace/model/trace.hpp"
#include "analyzer/trace/sync/sync_points.hpp"

namespace waitdiag {

inline constexpr double kSecond = 1e9;  // in the nanoseconds of a trace

// The critical path as rows of a report.
Report::CriticalPath critical_path_rows(const Trace& trace, const Diagnosis& found);

// The rows of a report about parts of the run: efficiency of each, and where its processor time went.
Report::Efficiency efficiency_row(const EfficiencyTree& tree, const char* method);
void add_efficiency_by_part(const Trace& trace, const Diagnosis& found, Report& report);
void add_characteristics(const Trace& trace, const Diagnosis& found, Report& report);

// The rows of a report about what the run used: the network, processors, memory and files.
void add_messages(const Trace& trace, const MessageProfile& profile, Report& report);
void add_resources(const ResourceUse& use, Report& report);
void add_files(const Trace& trace, const FileUse& use, Report& report);

// What stands behind the waits: who else was late where only the longest wait counts, which sends needed
// their receivers, and whose clocks contradict each other.
// Of waits of one kind, largest first. What a reader cannot tell apart is one row.
std::vector<Report::ByCallPath> call_path_rows(const Trace& trace,
                                               const std::map<CallPathId, double>& nanoseconds);
// To the rows of `report.waits`.
void add_candidates(const Trace& trace, const WaitStates& states, Report& report);
// To `report.run`, and to the summary of Late Receiver where the eager limit decided. Not with Scalasca's
// rules, which have none.
void add_eager_limit(const WaitStates& states, Report& report);
void add_clock_violations(const SyncPoints& sync, const WaitStates& states, Report& report);

// The closer look at a cause: its picture over ranks and steps, and what that says, in words.
// Fills the parts of `cause` that come from `spread` over these steps; `slowness` is that of all ranks
// (slow_ranks.hpp).
void add_spread(const Trace& trace, const Steps& steps, const CallPathSpread& spread,
                const std::vector<double>& slowness, Report::Cause& cause);

// Threads that were not on a processor: for how long, and what is said of it as a cause.
void add_off_processor(const Trace& trace, Report& report);

// Sentences; empty where the call path is something else.
std::string why_off_processor(const Trace& trace, const CallPathSpread& spread,
                              const std::vector<std::size_t>& late_ranks);

// What threads did that never called MPI: OpenMP's where only the main thread does, and the like.
// By rank; ranks without such threads are left out.
std::vector<Report::WorkerThreads> worker_threads(const Trace& trace);

// Says at the largest cause that is computation what the threads of its ranks did that never call MPI, where
// that is a good part of it: the cause may have done nothing but wait for them.
void name_workers_at_cause(Report& report);

// The rank that came to MPI_Init last, and how long the others stayed there for it. What a rank did before is
// mostly not recorded, so this is no wait pattern: it has no cause that could be named.
// Nothing where that is less than a hundredth of the time of all ranks.
std::optional<Report::LateStart> late_start(const Trace& trace, const SyncPoints& sync);

// What the recording itself cost the run.
// Of every rank its calls and its failed polls times what one was measured to cost, the time for call paths
// that were not recognised, and the flushes. Nothing if the archive does not say what a call costs.
std::optional<Report::Recording> recording_cost(const Trace& trace);

// Of a recording with excerpts: what is known of the whole run.
// Nothing of other recordings.
std::optional<Report::WholeRun> whole_run(const Trace& trace, const WaitStates& states);

// How a run ended that did not come to MPI_Finalize: who ended it, and where everybody was.
// Empty for a run that was finalised, and for archives that were not recovered by waitdiag.
std::optional<Report::Ending> ending_of(const Trace& trace);

}  // namespace waitdiag

// The functions that fill the parts of a report. Each has its own file.
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
#include "analyzer/diagnosis/detection/wait_states.hpp"
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

// The rows of a report about parts of the run: the efficiency of each, and where its processor time went.
Report::Efficiency efficiency_row(const EfficiencyTree& tree, const char* method);
void add_efficiency_by_part(const Trace& trace, const Diagnosis& found, Report& report);
void add_characteristics(const Trace& trace, const Diagnosis& found, Report& report);

// The rows of a report about what the run used: the network, processors, memory and files.
void add_messages(const Trace& trace, const MessageProfile& profile, Report& report);
void add_resources(const ResourceUse& use, Report& report);
void add_files(const Trace& trace, const FileUse& use, Report& report);

// Details of the waits: which other ranks were late where only the longest wait counts, which sends needed
// their receivers, and which clocks contradict each other. Rows for waits of one kind, largest first; those
// that a reader cannot tell apart are one row.
std::vector<Report::ByCallPath> call_path_rows(const Trace& trace,
                                               const std::map<CallPathId, double>& nanoseconds);
// Adds to the rows of `report.waits`.
void add_candidates(const Trace& trace, const WaitStates& states, Report& report);
// Adds to `report.run`, and to the summary of Late Receiver where the eager limit was decisive. Not with
// Scalasca's rules, which have no limit.
void add_eager_limit(const WaitStates& states, Report& report);
void add_clock_violations(const SyncPoints& sync, const WaitStates& states, Report& report);

// A cause in more detail: its time over ranks and steps, and what that shows, in words. Fills the parts of
// `cause` that come from `spread` over these steps; `slowness` is that of all ranks (slow_ranks.hpp).
void add_spread(const Trace& trace, const Steps& steps, const CallPathSpread& spread,
                const std::vector<double>& slowness, Report::Cause& cause);

// Of causes in one function, which takes longer on late ranks wherever it is called, the largest stands for all.
void add_late_everywhere(const Trace& trace, const Diagnosis& found, Report& report);

// Threads that were not on a processor: for how long, and the wording for this as a cause.
void add_off_processor(const Trace& trace, const StalledCalls& stalled, Report& report);

// Who had the processors that ranks lost, by node and in the words of causes. Wants the rows of resources and
// of threads off a processor.
void add_taken_processors(const Trace& trace, Report& report);

// Sentences; empty where the call path is something else.
std::string why_off_processor(const Trace& trace, const CallPathSpread& spread,
                              const std::vector<std::size_t>& late_ranks);

// What threads that never called MPI did: OpenMP threads where only the main thread calls MPI, and the like.
// By rank; ranks without such threads are left out.
std::vector<Report::WorkerThreads> worker_threads(const Trace& trace);

// For causes that ran in threads of the program's own while another thread waited for their end: which one was late.
// False: not so for the largest cause.
bool name_joined_threads(const Trace& trace, Report& report);
// For the largest cause that is computation, says what the threads of its ranks that never call MPI did,
// where that is a substantial part: the cause may only have waited for them.
void name_workers_at_cause(Report& report);

// The rank that came to MPI_Init last, and how long the others stayed there for it. What a rank did before
// MPI_Init is mostly not recorded, so this is not a wait pattern: there is no cause that could be named.
// Nothing where it is less than a hundredth of the time of all ranks.
std::optional<Report::LateStart> late_start(const Trace& trace, const SyncPoints& sync);

// What the recording itself cost the run: for every rank, its calls and failed polls multiplied by the
// measured cost of one, the time for call paths that were not recognised, and the flushes. Nothing if the
// archive does not say what a call costs.
std::optional<Report::Recording> recording_cost(const Trace& trace);

// For a recording with excerpts: what is known of the whole run. Nothing for other recordings.
std::optional<Report::WholeRun> whole_run(const Trace& trace, const WaitStates& states);

// How a run that did not reach MPI_Finalize ended: which rank ended it, and where every rank was.
// Empty for a run that was finalised, and for archives that were not recovered by waitdiag.
std::optional<Report::Ending> ending_of(const Trace& trace);

}  // namespace waitdiag

// How far the results can be trusted: everything odd that any stage found, the gravest first.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>
#include <vector>

#include "analyzer/diagnosis/activities/profile.hpp"
#include "analyzer/diagnosis/detection/wait_states.hpp"
#include "analyzer/diagnosis/resources/resource_use.hpp"
#include "analyzer/results/report.hpp"
#include "analyzer/trace/model/clock_error.hpp"
#include "analyzer/trace/model/trace.hpp"

namespace waitdiag {

std::vector<Report::Quality> data_quality(const Trace& trace, const Anomalies& matching,
                                          const WaitStates& states, const Profile& profile,
                                          const ResourceUse& use,
                                          std::span<const Report::WorkerThreads> workers);

// By how much a wait may be longer or shorter: it is the difference of two ranks' times, each of which may be
// off by the clocks' error. Zero on one node, which has one clock.
Duration uncertainty(const Trace& trace, const WaitState& wait, Duration clock_error);

// MPI calls of threads that efficiencies do not cover, because these count a process by the thread that
// initialised MPI. Adds "mpi_in_other_threads": how many threads, and how much time they spent in MPI.
void add_mpi_in_other_threads(const Trace& trace, const WaitStates& states, Anomalies& anomalies);

// Computation that shows in the processor time but that no recorded thread can have done. Adds
// "unseen_threads": on how many ranks, and the worst of them. `workers` are the threads that never called MPI
// and were sampled.
void add_unseen_threads(const Trace& trace, const ResourceUse& use,
                        std::span<const Report::WorkerThreads> workers, Anomalies& anomalies);

}  // namespace waitdiag

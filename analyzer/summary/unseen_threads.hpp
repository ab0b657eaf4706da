// Computation that the processor time tells of and no recorded thread can have done.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>

#include "analyzer/diagnosis/resources/resource_use.hpp"
#include "analyzer/results/report.hpp"
#include "analyzer/trace/model/trace.hpp"

namespace waitdiag {

// Adds "unseen_threads": on how many ranks, and the worst of them. `workers` are the threads that never
// called MPI and were sampled.
void add_unseen_threads(const Trace& trace, const ResourceUse& use,
                        std::span<const Report::WorkerThreads> workers, Anomalies& anomalies);

}  // namespace waitdiag

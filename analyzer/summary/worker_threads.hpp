// What threads did that never called MPI: OpenMP's where only the main thread does, and the like.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "analyzer/results/report.hpp"
#include "analyzer/trace/model/trace.hpp"

namespace waitdiag {

// By rank; ranks without such threads are left out.
std::vector<Report::WorkerThreads> worker_threads(const Trace& trace);

// Says at the largest cause that is computation what the threads of its ranks did that never call MPI, where
// that is a good part of it: the cause may have done nothing but wait for them.
void name_workers_at_cause(Report& report);

}  // namespace waitdiag

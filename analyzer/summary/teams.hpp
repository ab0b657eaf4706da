// Teams of threads (OpenMP): how evenly they computed, and what that cost their ranks.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>

#include "analyzer/diagnose.hpp"
#include "analyzer/results/report.hpp"
#include "analyzer/trace/model/trace.hpp"

namespace waitdiag {

// Nothing: none was recorded.
std::optional<Teams> teams_of(const Trace& trace);

// For causes within such a team, and in callers of one of which nothing else tells, says which thread was
// late, and what balancing the threads would save.
void name_late_threads(const Trace& trace, const Diagnosis& found, Report& report);

}  // namespace waitdiag

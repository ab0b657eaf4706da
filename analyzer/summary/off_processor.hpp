// Threads that were not on a processor: for how long, and what is said of it as a cause.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "analyzer/diagnosis/steps/step_matrix.hpp"
#include "analyzer/results/report.hpp"

namespace waitdiag {

void add_off_processor(const Trace& trace, Report& report);

// Sentences; empty where the call path is something else.
std::string why_off_processor(const Trace& trace, const CallPathSpread& spread,
                              const std::vector<std::size_t>& late_ranks);

}  // namespace waitdiag

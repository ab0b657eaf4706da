// Of a recording with excerpts: what is known of the whole run.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>

#include "analyzer/diagnosis/patterns/wait_states.hpp"
#include "analyzer/results/report.hpp"
#include "analyzer/trace/model/trace.hpp"

namespace waitdiag {

// Nothing of other recordings.
std::optional<Report::WholeRun> whole_run(const Trace& trace, const WaitStates& states);

}  // namespace waitdiag

// What the recording itself cost the run.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>

#include "analyzer/results/report.hpp"
#include "analyzer/trace/model/trace.hpp"

namespace waitdiag {

// Of every rank its calls and its polls in vain times what one was measured to cost, the time for call paths
// that were not recognised, and the flushes. Nothing if the archive does not say what a call costs.
std::optional<Report::Recording> recording_cost(const Trace& trace);

}  // namespace waitdiag

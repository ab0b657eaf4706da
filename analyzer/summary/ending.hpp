// How a run ended that did not come to MPI_Finalize: who ended it, and where everybody was.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>

#include "analyzer/results/report.hpp"
#include "analyzer/trace/model/trace.hpp"

namespace waitdiag {

// Empty for a run that was finalised, and for archives that were not recovered by waitdiag.
std::optional<Report::Ending> ending_of(const Trace& trace);

}  // namespace waitdiag

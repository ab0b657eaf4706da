// The rank that came to MPI_Init last, and how long the others stayed there for it. What a rank did before is
// mostly not recorded, so this is no wait pattern: it has no cause that could be named.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>

#include "analyzer/results/report.hpp"
#include "analyzer/trace/sync/sync_points.hpp"

namespace waitdiag {

// Nothing where that is less than a hundredth of the time of all ranks.
std::optional<Report::LateStart> late_start(const Trace& trace, const SyncPoints& sync);

}  // namespace waitdiag

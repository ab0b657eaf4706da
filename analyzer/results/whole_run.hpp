// Reports of the recorder's light profile.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "analyzer/results/report.hpp"

namespace waitdiag {

// The report extrapolated to the whole run, to be compared with others: the figures of whole_run replace
// those of the excerpts; waits, causes and functions are scaled to them. Other reports stay as they are.
Report of_whole_run(Report report);

}  // namespace waitdiag

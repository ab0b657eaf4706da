// How certain each leading cause and gain is. Exact times show how long each rank took; samples show it with
// an error that depends on their number; and MPI calls may take long for reasons that are not recorded.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "analyzer/diagnose.hpp"
#include "analyzer/results/report.hpp"

namespace waitdiag {

// For the causes that were examined more closely; they are sorted, and have their gains.
void add_certainty(const Trace& trace, const Diagnosis& found, Report& report);

}  // namespace waitdiag

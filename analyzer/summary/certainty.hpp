// How sure each leading cause and gain is. Exact times say who took how long; samples say it with an error that
// their number gives, and calls of MPI take long for reasons that nobody records.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "analyzer/diagnose.hpp"
#include "analyzer/results/report.hpp"

namespace waitdiag {

// Of the causes with a closer look; they are sorted, and have their gains.
void add_certainty(const Trace& trace, const Diagnosis& found, Report& report);

}  // namespace waitdiag

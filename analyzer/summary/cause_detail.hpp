// The closer look at a cause: its picture over ranks and steps, and what that says, in words.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>
#include <vector>

#include "analyzer/diagnosis/steps/step_matrix.hpp"
#include "analyzer/results/report.hpp"

namespace waitdiag {

// Fills the parts of `cause` that come from `spread` over these steps; `slowness` is that of all ranks
// (slow_ranks.hpp).
void add_spread(const Trace& trace, const Steps& steps, const CallPathSpread& spread,
                const std::vector<double>& slowness, Report::Cause& cause);

}  // namespace waitdiag

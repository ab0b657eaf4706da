// Whether the runs are enough for what is to be predicted.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "analyzer/scaling/rescaling/rescale.hpp"

namespace waitdiag {

// Each throws TraceError, which says what would do.

// The target's problem is known in all runs, and follows from theirs.
void check_problem(const std::vector<SizedRun>& runs, const RunSize& target);
// Runs of several problems need a --problem that says which one to predict.
void check_said(const std::vector<SizedRun>& runs, const RunSize& target);
// A single run suffices only where its distribution is known (as in the DVM predictor, whose calls carry it).
void check_one_run(const Study& study);
// Calls that only the largest runs make show that there are more of them with more ranks, but not how many.
void check_calls(const Study& study);
// Refuses what no run shows: a dimension without neighbours. `used`: places in study.grids.
void check_dimensions(const Study& study, const std::vector<std::size_t>& used);

}  // namespace waitdiag

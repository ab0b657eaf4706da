// Rows that only one side has, or both with different figures.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "analyzer/nightly/compare/compare.hpp"

namespace waitdiag {

using ComparedRuns = std::vector<ComparedRun>;
using Changes = std::vector<Comparison::Change>;

// Means over the runs of a side, largest change first; without rows that did not change.
Changes changed_waits(const ComparedRuns& before, const ComparedRuns& after);      // by pattern
Changes changed_causes(const ComparedRuns& before, const ComparedRuns& after);     // by call path and kind
Changes changed_functions(const ComparedRuns& before, const ComparedRuns& after);  // hotspots, by call path

// By node; nothing where no rank lost its processor on either side.
std::vector<Comparison::Taken> changed_processors(const ComparedRuns& before, const ComparedRuns& after);

}  // namespace waitdiag

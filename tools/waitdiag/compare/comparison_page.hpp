// The page of `waitdiag compare`: both runs on one time scale, and what changed.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "analyzer/nightly/compare/compare.hpp"

namespace waitdiag::tool {

// The runs of one side, and the first archive among them as a timeline has it; empty: there are only reports.
struct ComparedSide {
  std::vector<ComparedRun> runs{};
  std::string drawn{};  // of page_data()
};

// Throws std::runtime_error and TraceError.
ComparedSide read_side(const std::vector<std::string>& sources, bool with_timeline, bool quiet);

// Nothing if `file` is empty. Throws std::runtime_error.
void write_comparison_page(const std::string& file, const Comparison& comparison, const ComparedSide& before,
                           const ComparedSide& after);

}  // namespace waitdiag::tool

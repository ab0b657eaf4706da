// The options of `waitdiag grid` that say how grids are searched, and what the array of a recorded run is.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "analyzer/scaling/grid/best_grids.hpp"

namespace CLI {
class App;
}

namespace waitdiag::tool {

void add_search_options(CLI::App& command, GridOptions& options);
void add_array_options(CLI::App& command, ArrayFacts& array);

}  // namespace waitdiag::tool

// The options of `waitdiag balance` that say how a load is divided, and what it costs.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tools/waitdiag/balance/balance_sources.hpp"

namespace CLI {
class App;
}

namespace waitdiag::tool {

void add_map_options(CLI::App& command, BalanceOptions& options);
void add_domain_options(CLI::App& command, BalanceOptions& options);

}  // namespace waitdiag::tool

// What the options of `waitdiag balance` say of the domain: its cells, how it is divided, what it costs.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "tools/waitdiag/balance/balance_sources.hpp"

namespace waitdiag::tool {

struct MapShape {
  std::uint32_t x = 0, y = 0;
};

// All of them throw UsageError.
MapShape cells_of(const BalanceOptions& options, MapShape otherwise);
BalanceDomain domain_of(const BalanceOptions& options, double width, double height);
// Every decomposition among every number of ranks.
std::vector<Decomposition> divisions_of(const BalanceOptions& options);

}  // namespace waitdiag::tool

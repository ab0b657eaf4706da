// A map of loads and of who has what as a page shows them: made coarser where there are more cells than a
// screen has room for.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <vector>

#include "analyzer/results/balance.hpp"
#include "analyzer/scaling/balance/decomposition.hpp"

namespace waitdiag {

// How many squares a side has at most.
BalanceReport::Picture picture_of(const LoadMap& map, std::size_t most_squares = 300);

// Of each square the rank that has the cell in its middle; -1: nobody. Throws as owners_of().
std::vector<std::int64_t> owners_in(const BalanceReport::Picture& picture, const LoadMap& map,
                                    const Decomposition& completed);

}  // namespace waitdiag

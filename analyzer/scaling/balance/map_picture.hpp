// A map of loads, and of the ranks that have them, as shown on a page: made coarser where there are more
// cells than fit on a screen.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <vector>

#include "analyzer/results/balance.hpp"
#include "analyzer/scaling/balance/decomposition.hpp"

namespace waitdiag {

// `most_squares`: the largest number of squares along a side.
BalanceReport::Picture picture_of(const LoadMap& map, std::size_t most_squares = 300);

// For each square, the rank that has the cell in its middle; -1: none. Throws as owners_of().
std::vector<std::int64_t> owners_in(const BalanceReport::Picture& picture, const LoadMap& map,
                                    const Decomposition& completed);

}  // namespace waitdiag

// The causes that matter most: only these are examined more closely, because that costs time.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "analyzer/diagnosis/causes/delay_costs.hpp"

namespace waitdiag {

// At most `most` call paths by the waiting they caused, largest first; none that caused less than `share` of
// all explained waiting.
std::vector<CallPathId> leading_causes(const DelayCosts& costs, std::size_t most, double share);

// By call path: the waiting that it caused, in nanoseconds.
std::vector<double> waiting_caused(const DelayCosts& costs, std::span<const CallPathId> call_paths);

}  // namespace waitdiag

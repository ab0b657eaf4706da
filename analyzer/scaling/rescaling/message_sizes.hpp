// Message sizes of a predicted run that no recorded run has.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>

#include "analyzer/results/rescaling.hpp"
#include "analyzer/simulation/replay/sent_sizes.hpp"

namespace waitdiag {

// Nothing: all sizes were recorded, or none.
std::optional<RescalingReport::Outside> outside_recorded(const SentSizes& recorded, const SentSizes& target);

}  // namespace waitdiag

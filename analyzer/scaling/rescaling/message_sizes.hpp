// Message sizes of a predicted run that no recorded run has.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>
#include <span>

#include "analyzer/results/rescaling.hpp"
#include "analyzer/scaling/rescaling/rescale.hpp"

namespace waitdiag {

// Nothing: each size lies between recorded ones.
std::optional<RescalingReport::Outside> outside_recorded(std::span<const SizedRun> recorded,
                                                         const Trace& target);

}  // namespace waitdiag

// Message sizes of a predicted run that no recorded run has.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>

#include "analyzer/results/rescaling.hpp"
#include "analyzer/simulation/machine/machine.hpp"
#include "analyzer/simulation/replay/sent_sizes.hpp"

namespace waitdiag {

// Without its doublings. Nothing: all sizes were recorded, or none.
std::optional<RescalingReport::Outside> outside_recorded(const SentSizes& recorded, const SentSizes& target);

// `machine`, where messages of sizes that were not recorded cost more, by `factor` for each doubling by which they are larger or
// smaller than any. Between two recorded sizes it is less: half the harmonic mean of the distances.
Machine dearer_outside(Machine machine, const SentSizes& recorded, double factor);

}  // namespace waitdiag

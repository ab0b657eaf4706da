// Which ports messages share, and how much passes through them: from several messages at the same time.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "analyzer/simulation/calibration/laboratory.hpp"
#include "analyzer/simulation/calibration/levels.hpp"
#include "analyzer/simulation/machine/machine.hpp"

namespace waitdiag {

// Gives every level of `machine` (the same as `levels`, with its intervals) its bandwidth, channels and
// sharing. Returns what could not be measured and was assumed, with a sentence for each. A port that messages of all units
// share besides the ports of their own becomes one level more, the outermost one, with the costs of the next.
//
// n simultaneous messages that take x times as long as a single one need a port with n / x times the rate of
// one. A port accounts only for what the ports inside it do not explain already, so the innermost level is
// measured first. The rate of a single message is that of its best interval of sizes, as for the machine.
std::vector<std::string> find_sharing(Laboratory& laboratory, std::span<const FoundLevel> levels,
                                      Machine& machine);

}  // namespace waitdiag

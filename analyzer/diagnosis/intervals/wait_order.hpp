// The order in which delays are traced back: a wait must be handled before the waits that delayed its cause.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <vector>

#include "analyzer/diagnosis/detection/wait_states.hpp"
#include "analyzer/diagnosis/intervals/sync_intervals.hpp"

namespace waitdiag {

// Indices of all waits, the latest first; those at the same instant follow the chain of causes. Waits of one
// location come last to first; victims of one call follow each other, the shortest interval of their cause
// first.
std::vector<std::uint32_t> latest_first(const Trace& trace, const WaitStates& states,
                                        const std::vector<SyncInterval>& intervals);

}  // namespace waitdiag

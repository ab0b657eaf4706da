// Calls of ranks that do not all make the same ones, side by side.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <vector>

#include "analyzer/scaling/rescaling/sequence.hpp"

namespace waitdiag {

// Numbers of the names of all calls, by run and rank.
using CalledNames = std::vector<std::vector<std::vector<std::uint32_t>>>;

// The names of all calls that anybody makes, so that the calls of each rank of each run are a part of them,
// in their order; which part, goes into `sequence`. Throws TraceError (sequence.difference) where that would
// take too long.
std::vector<std::uint32_t> merge_calls(const std::vector<SourceRun>& runs, const CalledNames& called,
                                       CallSequence& sequence);

}  // namespace waitdiag

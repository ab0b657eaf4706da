// One sequence for ranks that make different calls, or whose number of calls depends on the number of ranks.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "analyzer/scaling/sequences/sequence.hpp"

namespace waitdiag {

// Numbers of the names of all calls, by run and rank.
using CalledNames = std::vector<std::vector<std::vector<std::uint32_t>>>;

// Returns the names of all calls of the target (`name_of`: readable names); which of them each rank of each
// run makes goes into `sequence`. Throws TraceError (sequence.difference) where there is no such sequence.
std::vector<std::uint32_t> put_side_by_side(const std::vector<SourceRun>& runs, const Sizes& sizes,
                                            const CalledNames& called,
                                            const std::function<std::string(std::uint32_t)>& name_of,
                                            const Alignment& alignment, std::size_t& work,
                                            CallSequence& sequence);

}  // namespace waitdiag

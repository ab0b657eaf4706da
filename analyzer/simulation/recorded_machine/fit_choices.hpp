// What a fit of a machine starts from, and what it may choose from: usual costs, sizes of messages, blocks of ranks.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "analyzer/simulation/recorded_machine/least_squares.hpp"

namespace waitdiag {

struct FittedRun;

// The residual of a parameter that is a factor of e from the usual one.
constexpr double kHold = 0.02;

// A level that nothing is known of is to the one inside as usual; so is a size to the next larger one.
Usual usual_values(std::size_t levels, std::size_t sizes);

// From which messages may have costs of their own: powers of two, or four if there were too many.
std::vector<std::uint64_t> sizes_in(const std::vector<FittedRun>& runs);
// At most this is sent at once.
std::uint64_t largest_size(const std::vector<FittedRun>& runs);

// Of ranks that may be near each other. Blocks are assumed to be full in the largest run.
std::vector<std::uint32_t> block_sizes(std::size_t ranks);
// `another` consists of blocks of each size, or is a part of one.
bool nests(std::vector<std::uint32_t> blocks, std::uint32_t another);

}  // namespace waitdiag

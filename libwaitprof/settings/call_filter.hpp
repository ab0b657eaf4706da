// Which MPI functions are not recorded (WAITPROF_FILTER_MPI). Their effects are followed all the same: if the
// start of a request is filtered, its completion is not recorded either.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string_view>

#include "libwaitprof/generated/calls.hpp"

namespace waitprof {

// Bits of a set of groups.
inline constexpr std::uint32_t kPointToPointCalls = 1, kCollectiveCalls = 2, kRmaCalls = 4, kIoCalls = 8,
                               kCommunicatorCalls = 16, kOtherCalls = 32;

// Names of the groups, by bit.
inline constexpr std::string_view kCallGroups[] = {"p2p", "collective", "rma", "io", "comm", "other"};

// The group of a function; 0: MPI_Init and the like, which are always recorded.
std::uint32_t group_of_call(Call call) noexcept;

// "p2p,io" -> the set of groups; words that are no group are ignored; false: no word is a group.
bool parse_call_groups(std::string_view text, std::uint32_t& groups) noexcept;
// The first word that is no group; empty: all words are groups.
std::string_view unknown_call_group(std::string_view text) noexcept;

extern constinit bool filtered_calls[kCallCount] __attribute__((visibility("hidden")));
inline bool is_filtered(Call call) noexcept {
  return filtered_calls[static_cast<std::uint32_t>(call)];
}

// Filters these groups from now on.
void filter_calls(std::uint32_t groups) noexcept;

}  // namespace waitprof

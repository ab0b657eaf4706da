// What recording costs, measured where it is paid.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

#include "libwaitprof/callpath/caller.hpp"
#include "libwaitprof/generated/calls.hpp"

namespace waitprof {

// What a recorded call costs beyond MPI itself, ns: the best of a few rounds of calls that nobody made, a
// message sent and received in each, on the call path of the one that was made. Their events are removed from the buffer again.
std::uint64_t measure_call_cost(Call region, const Caller& caller) noexcept;

// The same of a poll that finds nothing, one after the other.
std::uint64_t measure_poll_cost(Call region, const Caller& caller) noexcept;

}  // namespace waitprof

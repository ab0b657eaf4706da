// What recording costs, measured where it is paid.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

#include "libwaitprof/callpath/caller.hpp"
#include "libwaitprof/generated/calls.hpp"

namespace waitprof {

// What a recorded call costs beyond MPI itself, ns: the best of a few rounds of artificial calls, each with
// one message sent and one received, on the call path of `caller`. Their events are removed from the buffer
// again.
std::uint64_t measure_call_cost(Call region, const Caller& caller) noexcept;

// The same for polls that find nothing, one after another.
std::uint64_t measure_poll_cost(Call region, const Caller& caller) noexcept;

}  // namespace waitprof

// Keys by which ranks identify a communicator without communication: see communicators.hpp.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

#include "libwaitprof/handles/communicators.hpp"

namespace waitprof {

// A hash of parent, members and salt: the same on all members, and also on both sides of an
// inter-communicator, where local and remote members are exchanged.
std::uint64_t common_key(const Communicator& communicator, int salt) noexcept;

// The key of the n-th communicator with this common key.
std::uint64_t numbered_key(std::uint64_t common_key, std::uint32_t number) noexcept;

}  // namespace waitprof

// Keys by which ranks know a communicator without talking: see communicators.hpp.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

#include "libwaitprof/handles/communicators.hpp"

namespace waitprof {

// From parent, members and salt: the same on all members; on both sides of an inter-communicator too, which
// see local and remote members exchanged.
std::uint64_t common_key(const Communicator& communicator, int salt) noexcept;

// Of the n-th communicator with this common key.
std::uint64_t numbered_key(std::uint64_t common_key, std::uint32_t number) noexcept;

}  // namespace waitprof

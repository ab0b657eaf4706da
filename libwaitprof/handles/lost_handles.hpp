// Communicators, windows and files for which there is no room: what goes over them is not recorded.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

#include "libwaitprof/buffer/event.hpp"

namespace waitprof {

// The id that a table gave; one of none is counted, and said once. Not under the table lock.
std::uint32_t count_if_lost(std::uint32_t id) noexcept;

}  // namespace waitprof

// Communicators, windows and files for which there is no room: operations on them are not recorded.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

#include "libwaitprof/buffer/event.hpp"

namespace waitprof {

// Returns `id` as a table gave it; if it stands for none, counts that, and says so once. Not under the table
// lock.
std::uint32_t count_if_lost(std::uint32_t id) noexcept;

}  // namespace waitprof

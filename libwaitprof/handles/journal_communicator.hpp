// Writes a communicator to the journal. Members are stored as runs (0, 1, ... n-1 is one run), so that many
// communicators of many ranks stay small.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <span>

#include "libwaitprof/crash_safe/journal.hpp"
#include "libwaitprof/handles/communicators.hpp"

namespace waitprof {

void journal_communicator(std::uint32_t id, const Communicator& communicator) noexcept;

}  // namespace waitprof

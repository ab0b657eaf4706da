// An event buffer that is divided into excerpts (WAITPROF_PROFILE=light).
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "libwaitprof/recover/read_journal.hpp"

namespace waitprof::archive {

// `all`: the buffer's events. What the slots hold becomes buffer.rest, in the order of the excerpts.
void join_excerpts(std::span<const Event> all, BufferedEvents& buffer);

// What the file says that all calls amount to; none if it is cut off.
std::span<const CallTotals> totals_in(std::span<const std::byte> file, const crash_safe::EventArea& area);

}  // namespace waitprof::archive

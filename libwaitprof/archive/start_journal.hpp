// The start of a recording that survives a kill: opens this rank's files, and writes to its journal what is
// known by now.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "libwaitprof/archive/ranks.hpp"
#include "libwaitprof/definitions/clock_offset.hpp"
#include "libwaitprof/schema/crash_safe_layout.hpp"

namespace waitprof::archive {

// Collective. Where that cannot be, events stay in memory and one rank says so, but where files are all there will be
// (World::part_of_node). False: on some rank.
bool keep_events_in_files(Ranks& ranks, const ClockOffset& clock);

// For this process alone. Returns 0, or the errno of what went wrong; then no files are left.
int keep_own_events(const ClockOffset& clock);

// At the end of the last session, in MPI_Abort, and when the program exits without MPI_Finalize: what is
// known about the end.
void journal_end(crash_safe::EndKind kind, int code) noexcept;

}  // namespace waitprof::archive

// The end of the recording: remaining events, definitions, anchor.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "libwaitprof/archive/clock_offsets.hpp"
#include "libwaitprof/archive/ranks.hpp"

namespace waitprof::archive {

// Collective: one archive of all ranks.
void complete_archive(Ranks& ranks, ClockOffsets& clocks) noexcept;

}  // namespace waitprof::archive

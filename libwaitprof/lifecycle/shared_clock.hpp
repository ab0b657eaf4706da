// One clock for all ranks of a machine.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include "libwaitprof/surroundings/clock.hpp"

namespace waitprof {

// Collective, right behind a reduction of which `latest` is a result, the largest tick counter of all ranks: the first rank of each machine determines how ticks are scaled
// there. `earlier` is a clock reading from before MPI_Init, long enough ago to measure the rate. `one_boot`: all ranks run
// on the same boot of one kernel; then world.one_clock says whether all have one clock.
void share_clock(MPI_Comm all_ranks, const ClockReading& earlier, bool one_boot,
                 std::uint64_t latest) noexcept;

}  // namespace waitprof

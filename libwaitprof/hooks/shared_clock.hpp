// One clock for all ranks of a machine.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include "libwaitprof/surroundings/clock.hpp"

namespace waitprof {

// Collective: the first rank of each machine determines how ticks are scaled there. `earlier` is a clock
// reading from before MPI_Init, long enough ago to measure the rate.
void share_clock(MPI_Comm all_ranks, const ClockReading& earlier) noexcept;

}  // namespace waitprof

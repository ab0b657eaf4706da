// One clock for all ranks of a machine.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include "libwaitprof/surroundings/clock.hpp"

namespace waitprof {

// Collective: the first rank of each machine says how ticks are scaled there. `earlier` is a reading from
// before MPI_Init, which took long enough to know the rate.
void share_clock(MPI_Comm all_ranks, const ClockReading& earlier) noexcept;

}  // namespace waitprof

// Several of this program at a time, started by a launcher: one of them speaks for all.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

namespace waitdiag::tool {

// Rank 0, as launchers count them before MPI_Init; or nobody launched it.
bool speaks_for_all_ranks();

// Another rank of the launcher that started this process does the same, and speaks. Not if a program that is
// itself a rank started it, for what only this rank knows.
bool repeats_rank_0();

// Asleep, if that rank is on the same machine. MPICH's launcher is busy with a whole core once a rank has left.
void wait_for_rank_0_here();

// The ranks of the launcher on this machine leave their cores to this one: it may run on as many as they all have
// together, as far as the system lets it. Launchers bind each rank to cores of its own. Not if a program that is
// itself a rank started it: those still compute.
void take_cores_of_ranks_here();

}  // namespace waitdiag::tool

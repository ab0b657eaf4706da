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

}  // namespace waitdiag::tool

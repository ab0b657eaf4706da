// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

namespace waitprof {

// Collective: the ranks that run on the same boot of the same kernel as this one, in their order, and by
// chance some of another: MPI's colours have fewer values. MPI_COMM_NULL: MPI gave an error.
MPI_Comm ranks_of_same_boot(MPI_Comm ranks, int rank) noexcept;

}  // namespace waitprof

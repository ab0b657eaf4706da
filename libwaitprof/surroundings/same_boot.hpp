// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <cstdint>

namespace waitprof {

// Collective: the ranks that run on the same boot of the same kernel as this one, in their order, and by
// chance some of another: MPI's colours have fewer values. MPI_COMM_NULL: MPI gave an error.
MPI_Comm ranks_of_same_boot(MPI_Comm ranks, int rank) noexcept;

// Collective: whether `read` reads one and the same clock on these ranks, as far as messages can tell. It need not
// be so on the same boot: a container may have a time of its own, copies of a virtual machine share the boot of
// the first.
bool is_one_clock(MPI_Comm ranks, std::uint64_t (*read)() noexcept) noexcept;

}  // namespace waitprof

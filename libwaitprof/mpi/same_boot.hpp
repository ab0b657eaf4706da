// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <cstdint>

namespace waitprof {

// Collective: the ranks that run on the same boot of the same kernel as this one, in their order. By chance
// ranks of another boot may be among them, since MPI's colours have fewer values. MPI_COMM_NULL: MPI returned
// an error.
MPI_Comm ranks_of_same_boot(MPI_Comm ranks, int rank) noexcept;

// Collective: the largest of what the ranks read from one clock.
std::uint64_t latest_reading(MPI_Comm ranks, std::uint64_t own) noexcept;

// Collective, right behind another collective operation, so that all read at about the same time: whether `read` reads one
// and the same clock on these ranks, as far as messages can tell. The
// same boot does not guarantee that: a container may have a clock of its own, and copies of a virtual machine
// share the boot of the original.
bool is_one_clock(MPI_Comm ranks, std::uint64_t (*read)() noexcept) noexcept;

}  // namespace waitprof

// What MPI knows about a communicator: its members as world ranks, its topology. Asks MPI, keeps copies for
// ever.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include "libwaitprof/record/communicators.hpp"

namespace waitprof {

// World ranks of the processes of a group, -1 for those that are not in MPI_COMM_WORLD, in scratch memory of
// the thread; empty if there is none.
std::span<const int> world_ranks_of(MPI_Group group) noexcept;

// Fills members, remote_members, rank and topology; false: no memory. Spans are shared with `parent` where
// equal.
bool ask_mpi_about(MPI_Comm handle, const Communicator* parent, Communicator& communicator) noexcept;

}  // namespace waitprof

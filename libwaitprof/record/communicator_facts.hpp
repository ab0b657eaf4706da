// What MPI knows about a communicator: its members as world ranks, its topology. Asks MPI, keeps copies for
// ever.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include "libwaitprof/record/communicators.hpp"

namespace waitprof {

// Fills members, remote_members, rank and topology; false: no memory. Spans are shared with `parent` where
// equal.
bool ask_mpi_about(MPI_Comm handle, const Communicator* parent, Communicator& communicator) noexcept;

}  // namespace waitprof

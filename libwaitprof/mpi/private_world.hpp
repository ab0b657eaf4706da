// The recorder's own communicator of all ranks: MPI_Comm_dup and the like take longest where ranks share processors, so
// there is one for everything.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

namespace waitprof {

// MPI_COMM_NULL: ranks have not agreed to record, or not any more. Returns errors. Collective calls on it are made while
// all ranks are in MPI_Init or MPI_Finalize, in the same order; its messages from rank to rank have the tag 0.
inline MPI_Comm private_world = MPI_COMM_NULL;  // an address in Open MPI

}  // namespace waitprof

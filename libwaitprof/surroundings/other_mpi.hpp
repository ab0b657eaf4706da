// Programs of Open MPI. Its handles are pointers, which wrappers made for MPICH's integers would cut in half
// at every call.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

namespace waitprof {

// The Open MPI that this process has loaded by now and calls, for dlsym(); nullptr if it has none.
void* loaded_open_mpi() noexcept;

// One line on stderr, by one rank of a job, once.
void say_that_open_mpi_is_left_alone() noexcept;

}  // namespace waitprof

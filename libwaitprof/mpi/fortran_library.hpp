// MPI's libraries of Fortran bindings. Their calls are calls of the application, made in Fortran. They use
// PMPI names, which bypass every interposer of MPI_*: MPICH's `mpi_f08` for some functions
// (libmpichfort.so.12 of MPICH 4.0.2: 269 of them), Open MPI's bindings for all (libmpi_mpifh.so.40 of Open
// MPI 4.1.4: 367).
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

namespace waitprof {

// Whether an MPI call that returns to `caller` comes from the Fortran bindings, outside any other MPI call of
// this thread. All other callers that use PMPI names are tools, or MPI itself, and are left alone.
bool called_by_fortran_library(std::uintptr_t caller) noexcept;

}  // namespace waitprof

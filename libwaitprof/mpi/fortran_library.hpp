// MPI's libraries of Fortran bindings. What they call, the application called in Fortran; under PMPI names,
// past every interposer of MPI_*, MPICH's `mpi_f08` calls some functions (libmpichfort.so.12 of MPICH 4.0.2:
// 269 of them), Open MPI's bindings call all (libmpi_mpifh.so.40 of Open MPI 4.1.4: 367).
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

namespace waitprof {

// Whether an MPI call that returns to `caller` comes from the Fortran bindings, outside any other MPI call of
// this thread. All others that use PMPI names are tools, or MPI itself, and are left alone.
bool called_by_fortran_library(std::uintptr_t caller) noexcept;

}  // namespace waitprof

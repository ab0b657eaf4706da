// MPI_Pcontrol of programs that use mpi_f08, which calls it by its PMPI name.
//
// SPDX-License-Identifier: BSD-3-Clause
#include <mpi.h>

#include "libwaitprof/generated/pmpi.hpp"
#include "libwaitprof/hooks/call.hpp"
#include "libwaitprof/hooks/pcontrol.hpp"
#include "libwaitprof/mpi/fortran_library.hpp"

extern "C" WAITPROF_EXPORT int PMPI_Pcontrol(const int level, ...) {
  if (waitprof::called_by_fortran_library(WAITPROF_RETURN_ADDRESS)) {
    waitprof::control_recording(level);
  }
  return waitprof::pmpi::Pcontrol(level);
}

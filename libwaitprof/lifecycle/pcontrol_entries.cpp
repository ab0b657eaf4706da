// The wrappers of MPI_Pcontrol, written by hand because it is variadic: MPI ignores the further arguments, as
// the standard allows, and they have no common type to pass on. MPI's Fortran libraries call it by its PMPI
// name.
//
// SPDX-License-Identifier: BSD-3-Clause
#include <mpi.h>

#include "libwaitprof/generated/pmpi.hpp"
#include "libwaitprof/hooks/call.hpp"
#include "libwaitprof/hooks/pauses.hpp"
#include "libwaitprof/lifecycle/pcontrol.hpp"
#include "libwaitprof/mpi/fortran_library.hpp"
#include "libwaitprof/mpi/mpi_library.hpp"

extern "C" int entered_MPI_Pcontrol(const int level, ...) {  // NOLINT: the name of the table
  waitprof::control_recording(level);
  const waitprof::NestedCallsPass inside;  // a tool after us may call the other entry
  return waitprof::onward::Pcontrol(level);
}

extern "C" int entered_PMPI_Pcontrol(const int level, ...) {  // NOLINT
  if (waitprof::kFortranJumpsToPcontrol || waitprof::called_by_fortran_library(WAITPROF_RETURN_ADDRESS)) {
    waitprof::control_recording(level);
  }
  return waitprof::pmpi::Pcontrol(level);
}

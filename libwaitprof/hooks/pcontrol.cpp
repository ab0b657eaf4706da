// MPI_Pcontrol, by hand because it is variadic: level 0 pauses the recording, 1 resumes it, 2 and above
// begin a time step. It is no region.
//
// SPDX-License-Identifier: BSD-3-Clause
#include <mpi.h>

#include "libwaitprof/hooks/call.hpp"
#include "libwaitprof/hooks/recording.hpp"
#include "libwaitprof/hooks/steps.hpp"
#include "libwaitprof/record/fortran_library.hpp"
#include "libwaitprof/record/real_mpi.hpp"

namespace {

using waitprof::PauseReason;

void control(int level) noexcept {
  if (waitprof::this_thread.mpi_depth > 0) {
    return;
  }
  if (level == 0) {
    waitprof::pause_recording(PauseReason::Pcontrol);
  } else if (level == 1) {
    waitprof::resume_recording(PauseReason::Pcontrol);
  } else if (level > 1) {
    waitprof::begin_step();
  }
}

// MPI ignores the further arguments, as the standard allows; they have no common type to pass on.
int real_pcontrol(int level) noexcept {
  return waitprof::pmpi::real_function<decltype(&::MPI_Pcontrol)>(waitprof::Call::Pcontrol)(level);
}

}  // namespace

extern "C" WAITPROF_EXPORT int MPI_Pcontrol(const int level, ...) {
  control(level);
  return real_pcontrol(level);
}

extern "C" WAITPROF_EXPORT int PMPI_Pcontrol(const int level, ...) {
  if (waitprof::called_by_fortran_library(WAITPROF_RETURN_ADDRESS)) {
    control(level);
  }
  return real_pcontrol(level);
}

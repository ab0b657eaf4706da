// MPI_Pcontrol, by hand because it is variadic: level 0 pauses the recording, 1 and above resume it. It is no
// region.
//
// SPDX-License-Identifier: BSD-3-Clause
#include <mpi.h>

#include "libwaitprof/hooks/call.hpp"
#include "libwaitprof/hooks/recording.hpp"
#include "libwaitprof/record/fortran_library.hpp"
#include "libwaitprof/record/real_mpi.hpp"

namespace {

void pause_or_resume(int level) noexcept {
  if (waitprof::this_thread.mpi_depth > 0) {
    return;
  }
  if (level == 0) {
    waitprof::pause_recording();
  } else if (level > 0) {
    waitprof::resume_recording();
  }
}

// MPI ignores the further arguments, as the standard allows; they have no common type to pass on.
int real_pcontrol(int level) noexcept {
  return waitprof::pmpi::real_function<decltype(&::MPI_Pcontrol)>(waitprof::Call::Pcontrol)(level);
}

}  // namespace

extern "C" WAITPROF_EXPORT int MPI_Pcontrol(const int level, ...) {
  pause_or_resume(level);
  return real_pcontrol(level);
}

extern "C" WAITPROF_EXPORT int PMPI_Pcontrol(const int level, ...) {
  if (waitprof::called_by_fortran_library(WAITPROF_CALLER)) {
    pause_or_resume(level);
  }
  return real_pcontrol(level);
}

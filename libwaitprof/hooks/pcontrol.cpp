// MPI_Pcontrol, by hand because it is variadic: level 0 pauses the recording, 1 and above resume it. It is no
// region.
//
// SPDX-License-Identifier: BSD-3-Clause
#include <mpi.h>

#include "libwaitprof/hooks/call.hpp"
#include "libwaitprof/hooks/recording.hpp"
#include "libwaitprof/record/real_mpi.hpp"

// MPI ignores the further arguments, as the standard allows; they have no common type to pass on.
extern "C" WAITPROF_EXPORT int MPI_Pcontrol(const int level, ...) {
  using waitprof::this_thread;
  if (this_thread.mpi_depth == 0) {
    if (level == 0) {
      waitprof::pause_recording();
    } else if (level > 0) {
      waitprof::resume_recording();
    }
  }
  return waitprof::pmpi::real_function<decltype(&::MPI_Pcontrol)>(waitprof::Call::Pcontrol)(level);
}

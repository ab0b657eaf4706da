// Does what MPI_Pcontrol asks for. The call is not recorded as a region.
//
// SPDX-License-Identifier: BSD-3-Clause
#include "libwaitprof/lifecycle/pcontrol.hpp"

#include <mpi.h>

#include "libwaitprof/buffer/recorder.hpp"
#include "libwaitprof/generated/pmpi.hpp"
#include "libwaitprof/hooks/call.hpp"
#include "libwaitprof/hooks/pauses.hpp"
#include "libwaitprof/lifecycle/steps.hpp"

namespace waitprof {

void control_recording(int level) noexcept {
  if (this_thread.mpi_depth > 0) {
    return;
  }
  if (level == 0) {
    pause_recording(PauseReason::Pcontrol);
  } else if (level == 1) {
    const bool paused = !recording();
    resume_recording(PauseReason::Pcontrol);
    if (paused) continue_step();
  } else if (level > 1) {
    begin_step();
  }
}

}  // namespace waitprof

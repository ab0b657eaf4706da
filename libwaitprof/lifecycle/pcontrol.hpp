// MPI_Pcontrol's level: 0 pauses the recording, 1 resumes it, 2 and above begin a time step.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

namespace waitprof {

void control_recording(int level) noexcept;

}  // namespace waitprof

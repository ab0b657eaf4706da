// Time steps of the program: what waitprof_step() and MPI_Pcontrol(2) mark, and what WAITPROF_STEPS selects.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

namespace waitprof {

// Called after MPI_Init is recorded: with WAITPROF_STEPS the recording pauses until the first selected step.
void start_steps() noexcept;

// The next step begins here, on the thread that initialised MPI; calls by other threads, or before MPI_Init,
// are ignored. Steps count from 0. To be called on all ranks at the same place.
void begin_step() noexcept;

// The program resumed the recording: if this is inside a step, its number is recorded again.
void continue_step() noexcept;

}  // namespace waitprof

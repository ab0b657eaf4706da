// Time steps of the program: what waitprof_step() and MPI_Pcontrol(2) mark, and what WAITPROF_STEPS selects.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

namespace waitprof {

// MPI is initialised and its call recorded: with WAITPROF_STEPS the recording pauses until the first of them.
void start_steps() noexcept;

// The next step begins here, on the thread that initialised MPI; of other threads, and before MPI_Init,
// nothing is taken. Steps count from 0. To be called on all ranks at the same place.
void begin_step() noexcept;

// The program resumed the recording: whose events follow is told again, if it is a step's.
void continue_step() noexcept;

}  // namespace waitprof

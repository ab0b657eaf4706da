// Start and end of the recording, called by the wrappers of MPI_Init, MPI_Session_init, MPI_Finalize,
// MPI_Session_finalize, MPI_Abort.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "libwaitprof/callpath/caller.hpp"
#include "libwaitprof/generated/calls.hpp"
#include "libwaitprof/surroundings/clock.hpp"

namespace waitprof {

// MPI is about to be initialised: this rank signs in, and does what needs no other one.
void get_ready() noexcept;

// MPI is initialised: everything is set up, and MPI_Init itself recorded, entered at `before`. Collective
// over MPI_COMM_WORLD.
void start_recording(Call init, const Caller& caller, const ClockReading& before) noexcept;

// The same for a program that uses sessions (MPI_Session_init): not collective, since processes open sessions
// when they like, and may never communicate. Each leaves its recording in its files, see
// archive::open_alone().
void start_recording_alone(Call init, const Caller& caller, const ClockReading& before) noexcept;

// The last session of this process ends, and with it MPI and such a recording.
void finish_recording_alone() noexcept;

// MPI_Finalize begins: records it, as the wait for the last rank to get there, and closes the archive.
// Collective over MPI_COMM_WORLD, including ranks that have given up.
void finish_recording(Call finalize, const Caller& caller) noexcept;

// MPI_Abort: notes that this rank aborts the run.
void abandon_recording(Call abort, const Caller& caller, int code) noexcept;

}  // namespace waitprof

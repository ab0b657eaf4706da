// Start, pause and end of the recording, called by the wrappers of MPI_Init, MPI_Session_init, MPI_Pcontrol,
// MPI_Finalize, MPI_Session_finalize, MPI_Abort.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <atomic>
#include <cstdint>
#include <utility>

#include "libwaitprof/buffer/thread_state.hpp"
#include "libwaitprof/callpath/caller.hpp"
#include "libwaitprof/generated/calls.hpp"
#include "libwaitprof/surroundings/clock.hpp"

namespace waitprof {

// While it lives, MPI calls of this thread are not recorded, and the sampler keeps out.
class NestedCallsPass {
 public:
  NestedCallsPass() noexcept : frame_(std::exchange(this_thread.call_frame, kNoCallFrame)) {
    ++this_thread.mpi_depth;
  }
  ~NestedCallsPass() {
    --this_thread.mpi_depth;
    this_thread.call_frame = frame_;
  }
  NestedCallsPass(const NestedCallsPass&) = delete;
  NestedCallsPass& operator=(const NestedCallsPass&) = delete;

 private:
  std::uintptr_t frame_;
};

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

// Why the recording pauses; it goes on when no reason is left.
enum class PauseReason : unsigned { Pcontrol = 1, Steps = 2, Excerpts = 4 };

extern constinit std::atomic<unsigned> pause_reasons __attribute__((visibility("hidden")));

// WAITPROF_PROFILE=light: true if the only reason for the pause is that this part of the run is in no
// excerpt.
inline bool pauses_are_counted() noexcept {
  return (pause_reasons.load(std::memory_order_relaxed) & ~static_cast<unsigned>(PauseReason::Excerpts)) == 0;
}

void pause_recording(PauseReason reason) noexcept;
void resume_recording(PauseReason reason) noexcept;

}  // namespace waitprof

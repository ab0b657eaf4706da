// When calls are not recorded although the recording has begun: pauses, and calls of our own.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <atomic>
#include <cstdint>
#include <utility>

#include "libwaitprof/buffer/thread_state.hpp"

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
// A pause that lasts until MPI_Finalize keeps its length; there is room for that call.
void end_pause() noexcept;

}  // namespace waitprof

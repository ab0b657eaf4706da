// Which code may append to a thread's event buffer outside MPI calls, and how.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <atomic>
#include <csignal>

#include "libwaitprof/buffer/thread_state.hpp"

namespace waitprof {

// Keeps the sampler out while events are appended: its handler appends to the same buffer.
class BusyThread {
 public:
  explicit BusyThread(ThreadState& thread) noexcept : thread_(thread), before_(thread.busy) {
    thread_.busy = 1;
    std::atomic_signal_fence(std::memory_order_seq_cst);
  }
  ~BusyThread() {
    std::atomic_signal_fence(std::memory_order_seq_cst);
    thread_.busy = before_;
  }
  BusyThread(const BusyThread&) = delete;
  BusyThread& operator=(const BusyThread&) = delete;

 private:
  ThreadState& thread_;
  const std::sig_atomic_t before_;
};

// False inside MPI, inside the recorder, and in threads without a buffer: then nothing may be done.
inline bool may_interrupt(const ThreadState& thread) noexcept {
  return thread.begin != nullptr && thread.mpi_depth == 0 && thread.busy == 0;
}

// The same, and also false outside excerpts.
inline bool may_append(const ThreadState& thread) noexcept {
  return may_interrupt(thread) && !thread.outside;
}

// Nothing can be flushed there: what is appended has all of the buffer but its last places.
inline bool has_room(const ThreadState& thread) noexcept {
  return thread.end - thread.cursor > kEventsForOthers;
}

}  // namespace waitprof

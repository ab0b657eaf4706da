// Everything one application thread needs on the hot path, in one thread-local object (initial-exec TLS: one
// instruction to reach). Only its own thread and that thread's sampling signal handler touch it while
// recording.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <csignal>
#include <cstddef>
#include <cstdint>

#include "libwaitprof/record/event.hpp"

namespace waitprof {

struct ThreadState {
  // Event buffer: append at cursor while cursor < limit. `reserve` events behind limit belong to the sampler
  // and to the events that close a call, so that neither ever needs a flush.
  Event* begin = nullptr;
  Event* cursor = nullptr;
  Event* limit = nullptr;
  Event* end = nullptr;

  std::uint32_t thread = 0;  // 0: the thread that initialised MPI
  int mpi_depth = 0;         // > 0: inside an MPI call of the application; nested calls are the library's own
  volatile std::sig_atomic_t busy = 0;  // recorder code runs: the sampler keeps out
  bool registered = false;              // has a buffer and is in the thread list
  std::uint64_t written_events = 0;     // already in the archive
  std::uint64_t dropped_events = 0;
  std::uint64_t dropped_samples = 0;
  std::uint64_t failed_polls = 0;  // MPI_Test*, MPI_Iprobe ... that found nothing: counted, not recorded
  void* scratch = nullptr;  // for copies of requests and statuses during one call, see scratch_memory()
  std::size_t scratch_bytes = 0;
  void* writer = nullptr;         // archive/: OTF2 event writer of this location
  void* sampler_timer = nullptr;  // sampling/
  void* region_stack = nullptr;   // regions/: what this thread has open
  ThreadState* next = nullptr;    // thread list, newest first
};

extern constinit thread_local ThreadState this_thread
    __attribute__((tls_model("initial-exec"), visibility("hidden")));

// Appends an event; false (and counted) when even the reserve is full.
inline bool append(ThreadState& thread, const Event& event) noexcept {
  if (__builtin_expect(thread.cursor >= thread.end, 0)) {
    ++thread.dropped_events;
    return false;
  }
  *thread.cursor = event;
  // The sampler's handler may interrupt between the two stores: it must see the event before the cursor
  // moves.
  __atomic_signal_fence(__ATOMIC_RELEASE);
  ++thread.cursor;
  return true;
}

}  // namespace waitprof

// Everything one application thread needs on the hot path, in one thread-local object (initial-exec, one
// instruction to reach; entries/thread_block.cpp). Only its own thread and that thread's
// sampling signal handler touch it while recording.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <csignal>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "libwaitprof/buffer/event.hpp"
#include "libwaitprof/buffer/poll_row.hpp"
#include "libwaitprof/buffer/request_ids.hpp"
#include "libwaitprof/schema/crash_safe_layout.hpp"

namespace waitprof {

// The last places of a buffer are reserved for events that close a call.
inline constexpr std::ptrdiff_t kEventsForOthers = 1024;

// Value for the recorder's own work, and for a thread that has ended: there is no call that could be left.
inline constexpr std::uintptr_t kNoCallFrame = UINTPTR_MAX;

// A call of the C library in which the thread may have to wait (off_cpu/watched_call.hpp). Plain data: the
// program may leave it by longjmp.
struct WatchedCall {
  const std::uintptr_t* frame = nullptr;  // Caller; nullptr: it is in none
  std::uintptr_t frame_pointer = 0;
  std::uint32_t function = 0;
  int descriptor = -1;
  bool begun = false;       // a part of it is recorded, without the bytes that it moved
  std::uint64_t since = 0;  // a wait for its team, not recorded since then; 0: not for its team
};

// Reduction operators of the program, which MPI calls (hooks/operator.hpp); times in ns.
struct OperatorTime {
  struct Run {
    std::uint64_t begin = 0, end = 0;
  };
  static constexpr std::size_t kMostRuns = 6;  // the last one stands for all further ones
  std::uint64_t time = 0, last = 0;            // of all, of the last one
  std::uintptr_t function = 0;
  std::size_t count = 0;
  Run runs[kMostRuns] = {};

  void clear() noexcept { time = last = count = 0; }  // what nobody reads then is left
};

// What a thread of an OpenMP team waits for: all others, its turn among them, or tasks.
enum class WaitsFor : std::uint8_t { All, Turn, Tasks };

struct ThreadState {
  // Event buffer: append at cursor while cursor < limit. The places between limit and end belong to the
  // sampler and to events that close a call, so that neither ever needs a flush. *end exists, for the event
  // of zeros after the last one.
  Event* begin = nullptr;
  Event* cursor = nullptr;
  Event* limit = nullptr;
  Event* end = nullptr;

  std::uint32_t thread = 0;  // 0: the thread that initialised MPI
  int mpi_depth = 0;         // > 0: inside an MPI call of the application; nested calls are the library's own
  std::uintptr_t call_frame = kNoCallFrame;  // frame of the caller of the call that it is inside of
  volatile std::sig_atomic_t busy = 0;       // recorder code runs: the sampler must not append
  bool registered = false;                   // has a buffer and is in the thread list
  FreeRequestIds free_requests;
  PollRow row;                         // of failed polls that this thread is in
  std::uint64_t told_poll = 0;         // when polls began that were too few for a row, and were recorded
  const Event* told_behind = nullptr;  // where the next event came then
  std::uint64_t written_events = 0;    // already in the archive
  std::uint32_t* repeated_calls =
      nullptr;  // buffer/repeated_call.hpp: places in the buffer; nullptr: there are none
  crash_safe::LeftOut left_out;
  std::uint64_t next_usage = UINT64_MAX;  // when the usage of the process is to be read again
  OperatorTime operators;                 // hooks/: in the call that it is inside of
  void* scratch = nullptr;  // for copies of requests and statuses during one call, see scratch_memory()
  std::size_t scratch_bytes = 0;
  std::uint64_t excerpt = 0;            // the excerpt of this thread: current_excerpt as last seen
  bool outside = false;                 // WAITPROF_PROFILE=light: between excerpts, or this one is full
  struct CallTotals* totals = nullptr;  // WAITPROF_PROFILE=light
  crash_safe::ExcerptSlots* excerpts = nullptr;  // WAITPROF_PROFILE=light: how the buffer is divided
  Event* events = nullptr;                       // the whole buffer then
  crash_safe::EventArea* area = nullptr;         // the buffer lies in this file; nullptr: in memory only
  void* writer = nullptr;                        // archive/: OTF2 event writer of this location
  void* sampler_timer = nullptr;                 // sampling/
  void* presence = nullptr;                      // off_cpu/
  WatchedCall watched;                           // off_cpu/
  std::uint32_t waits_at = 0;                    // off_cpu/: where its wait is noted, from 1; 0: nowhere
  const void* wait_frame = nullptr;              // off_cpu/: the stack above it, while it waits there
  bool skips_samples = false;                    // off_cpu/: of that wait, which is written down whole
  const void* told_lock = nullptr;          // off_cpu/: whose taking was written last; nullptr: it is let go
  struct TeamTotals* teams = nullptr;       // openmp/: what it opened
  struct Team* team = nullptr;              // openmp/: that it is in
  std::uint64_t team_id = 0;                // openmp/: of that
  std::uint32_t team_number = 0;            // openmp/: its own in it
  bool left_team = false;                   // openmp/: it waits at the end of it, as one that did not open it
  std::uint32_t team_phase = 0;             // openmp/: how many barriers of it the thread has passed
  std::uint64_t busy_before = 0;            // openmp/: how long it had computed at the last one
  std::uint64_t turns_before = 0;           // openmp/: how long it had waited for its turns there
  std::uint64_t tasks_before = 0;           // openmp/: how long it had waited for tasks there
  std::uint64_t waits_since = 0;            // openmp/: for others
  WaitsFor waits_for = WaitsFor::All;       // openmp/: for what
  std::uint64_t computes_since = 0;         // openmp/: in it; 0: it waits for others, or is in none
  void* region_stack = nullptr;             // regions/: what this thread has open
  struct StartedThread* started = nullptr;  // sampling/: what is known of it, if the program started it
  struct Worker* worker = nullptr;          // sampling/: that it is since it began
  ThreadState* next = nullptr;              // thread list, newest first
  std::uint64_t ended = 0;                  // when the previous thread with this state ended
  ThreadState* kept = nullptr;              // where this is kept when the thread ends; nullptr: not yet known
  ThreadState* next_ended = nullptr;        // list of states that a later thread may take over
};

extern constinit thread_local ThreadState this_thread __asm__("waitprof_this_thread")
    __attribute__((visibility("default")));

// The first 8 bytes of an event, time and type, in one store: 0 ends the events of a buffer.
inline void store_head(Event* place, std::uint64_t head) noexcept {
  __atomic_signal_fence(__ATOMIC_RELEASE);
  std::memcpy(static_cast<void*>(place), &head, sizeof head);
}
inline void store_head(Event* place, const Event& event) noexcept {
  std::uint64_t head = 0;
  std::memcpy(&head, &event, sizeof head);
  store_head(place, head);
}
inline void store_head(Event* place, EventType type, std::uint64_t time) noexcept {
  constexpr int kTypeBits = 56;  // where Event::type begins
  store_head(place, (time & kEventTimeMask) | static_cast<std::uint64_t>(type) << kTypeBits);
}

// Stores the counts in case the process is killed. Called now and then, by this thread only.
inline void tell_left_out(ThreadState& thread) noexcept {
  if (thread.area != nullptr) {
    thread.area->left_out = thread.left_out;
  }
}

// Takes back the events from `from` on.
inline void cut_events(ThreadState& thread, Event* from) noexcept {
  store_head(from, Event{});
  thread.cursor = from;
}

// Appends an event; false (and counted) when even the reserve is full. At every instruction the buffer ends
// with a complete event and a head of zero: a kill leaves nothing incomplete.
inline bool append(ThreadState& thread, const Event& event) noexcept {
  Event* const place = thread.cursor;
  if (__builtin_expect(place >= thread.end, 0)) {
    ++thread.left_out.dropped_events;
    return false;
  }
  store_head(place + 1, Event{});
  place->u = event.u;
  store_head(place, event);
  // The sampler's handler may interrupt between the two stores: it must see the event before the cursor
  // moves.
  __atomic_signal_fence(__ATOMIC_RELEASE);
  thread.cursor = place + 1;
  return true;
}

// The same for an event that is made in place: one that is built elsewhere and copied is read in larger
// pieces than it was written in, which stalls the processor.
template <class Data>
__attribute__((always_inline)) inline void append(ThreadState& thread, EventType type, std::uint64_t time,
                                                  Data Event::Payload::*kind, const Data& data) noexcept {
  Event* const place = thread.cursor;
  if (__builtin_expect(place >= thread.end, 0)) {
    ++thread.left_out.dropped_events;
    return;
  }
  store_head(place + 1, Event{});
  place->u.*kind = data;
  store_head(place, type, time);
  __atomic_signal_fence(__ATOMIC_RELEASE);
  thread.cursor = place + 1;
}

}  // namespace waitprof

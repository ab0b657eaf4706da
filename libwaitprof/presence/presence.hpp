// When a recorded thread was not on a processor: events in its buffer, in time order with the rest.
//
//   MPI call | computes ...  off 20 ms: OffProcessor{20 ms, blocked}, stamped when it came back ... | MPI
//   call     | computes, off 3 us, computes, off 9 us ...: sums, OffProcessor{.turns = n}           | call
//   off 90 us, off 20 us ...: sums, too: of a call nobody asks when
//
// Read where the thread runs our code anyway: when an MPI call begins and ends, and at a sample.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

#include "libwaitprof/buffer/thread_state.hpp"

namespace waitprof {

// The part that is checked every time.
struct PresenceUpdates {
  const std::uint64_t* head = nullptr;  // of the ring, as the kernel fills it; nullptr: in a child of fork()
  std::uint64_t tail = 0;               // as far as we have read it
  std::uint64_t next_reading = 0;       // when clocks are to be read
};

// How long the thread was off since its presence was last recorded, up to `until`, by the ring or the clocks.
struct BlockedTime {
  std::uint64_t begin = 0;  // when it left its processor first, or `since`
  std::uint64_t time = 0;
};
BlockedTime blocked_time(ThreadState& thread, std::uint64_t since, std::uint64_t until) noexcept;
// False if there are so many intervals at the moment that they go into sums.
bool has_room_for_intervals(const ThreadState& thread, std::uint64_t time) noexcept;
// Whether presence is known by clocks only: then the caller decides when they are read.
bool is_told_by_clocks(const ThreadState& thread) noexcept;

// How often recorded threads went to another processor, as far as rings tell.
std::uint64_t migrations_of_process() noexcept;

// Of the calling thread, as settings say; what cannot be had is replaced by the coarser truth.
void start_presence(ThreadState& thread) noexcept;
// Called by any thread, while the one that it belongs to is at rest.
void stop_presence(ThreadState& thread) noexcept;

enum class PresenceOf : std::uint8_t {
  Program,
  WatchedCall,  // clocks are read even if they were just read
  MpiCall,      // only sums: MPI may sleep between its polls, and leave no room for intervals of the program
};
void write_presence(ThreadState& thread, std::uint64_t until, PresenceOf what) noexcept;
void pass_presence(ThreadState& thread) noexcept;
// Writes that it was blocked all the time, whatever ring or clocks tell.
void write_blocked(ThreadState& thread, std::uint64_t since, std::uint64_t until) noexcept;

inline bool has_presence_news(const ThreadState& thread, std::uint64_t time) noexcept {
  const auto* const updates = static_cast<const PresenceUpdates*>(thread.presence);
  return updates != nullptr && updates->head != nullptr &&
         (__atomic_load_n(updates->head, __ATOMIC_RELAXED) != updates->tail || time >= updates->next_reading);
}

// In a child that was made without anybody's notice (_Fork, clone), nothing may be written.
inline bool is_unnoticed_child(const ThreadState& thread) noexcept {
  const auto* const updates = static_cast<const PresenceUpdates*>(thread.presence);
  return updates != nullptr && updates->head == nullptr;
}

// Records the presence of the calling thread up to `until`; its buffer has no later events yet.
inline void record_presence(ThreadState& thread, std::uint64_t until,
                            PresenceOf what = PresenceOf::Program) noexcept {
  if (has_presence_news(thread, until)) [[unlikely]] {
    write_presence(thread, until, what);
  }
}

// Drops everything up to now: the recording pauses, or resumes after a pause.
inline void skip_presence(ThreadState& thread) noexcept {
  if (thread.presence != nullptr) {
    pass_presence(thread);
  }
}

}  // namespace waitprof

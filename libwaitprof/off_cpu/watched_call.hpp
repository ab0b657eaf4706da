// A call of the C library in which the program may have to wait, from start to end: if it waited, the call is
// in the trace as a region, with its call path, what it waited for and how much it moved.
//
//   write() ...  off 20 ms, off 3 ms ...   |  Enter write (out.dat) | OffProcessor | OffProcessor | Leave
//   write() ...  never off                 |  nothing: two counters were compared, twice
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

#include "libwaitprof/buffer/busy_thread.hpp"
#include "libwaitprof/buffer/recorder.hpp"
#include "libwaitprof/callpath/caller.hpp"
#include "libwaitprof/off_cpu/blocking_calls.hpp"
#include "libwaitprof/off_cpu/thread_wakes.hpp"
#include "libwaitprof/presence/presence.hpp"

namespace waitprof {

// Shorter waits (ns) get no name.
inline constexpr std::uint64_t kShortestNamed = 50'000;
// Its call works on none.
inline constexpr int kNoFile = -1;
// It could wait for one of several, but was given none.
inline constexpr int kOnlyTime = -2;
// It was for a thread that calls MPI.
inline constexpr int kForCaller = -3;

struct CallResult {
  std::uint64_t bytes = 0;     // that it moved
  const char* path = nullptr;  // the file that it opens; nullptr: it opens none
  const Wake* by = nullptr;    // which wake ended it; nullptr: none
};

// Describes a call by the names of blocking_calls.inc.
void begin_watched(ThreadState& thread, std::uint64_t& since) noexcept;
void end_watched(ThreadState& thread, const WatchedCall& call, std::uint64_t since,
                 const CallResult& result) noexcept;
// Where nothing is known of when the thread was on a processor (WAITPROF_OFF_PROCESSOR=off).
void tell_of_wait(const WatchedCall& call, std::uint64_t since, const Wake& by = {}) noexcept;

// A wait for its team, which counts whole: a thread may spin in it, or give its processor to others again and
// again. The thread goes on with other work of its team, and waits on.
void begin_team_wait(ThreadState& thread) noexcept;
void interrupt_team_wait(ThreadState& thread) noexcept;
inline bool waits_for_team(const ThreadState& thread) noexcept {
  return thread.watched.frame != nullptr && thread.watched.since != 0;
}

// Called by the sampler's handler, which is about to append. True: it should not, for then the call could not be told
// whole, as it is where clocks tell how long the thread waited in it.
bool note_watched(ThreadState& thread, std::uint64_t time) noexcept;

// False if the call was left: the thread's stack pointer, `stack`, is already above it.
inline bool is_in_watched_call(const ThreadState& thread, std::uintptr_t stack) noexcept {
  return thread.watched.frame != nullptr && stack < reinterpret_cast<std::uintptr_t>(thread.watched.frame);
}

// A thread that calls no MPI, and whose sampler is not at work.
inline bool is_free_worker(const ThreadState& thread) noexcept {
  return thread.worker != nullptr && thread.busy == 0;
}

// One such call, if the program itself makes it on a recorded thread. Has no destructor: the program may
// leave the call by an exception or longjmp. Of a thread that calls no MPI only the call's time is known, and that
// has to be long.
class CallWatch {
 public:
  [[gnu::always_inline]] CallWatch(const Caller& caller, std::uint32_t function, int descriptor) noexcept {
    ThreadState& thread = this_thread;
    const auto frame = reinterpret_cast<std::uintptr_t>(caller.frame);
    const bool ready = thread.presence != nullptr ? may_append(thread) : is_free_worker(thread);
    if (!ready || !recording() || is_in_watched_call(thread, frame)) {
      return;
    }
    thread_ = &thread;
    if (thread.presence == nullptr) {
      since_ = now();
    } else if (has_presence_news(thread, 0) || is_told_by_clocks(thread)) [[unlikely]] {
      begin_watched(thread, since_);
    }
    thread.watched = {.frame = caller.frame,
                      .frame_pointer = caller.frame_pointer,
                      .function = function,
                      .descriptor = descriptor};
  }
  [[gnu::always_inline]] CallWatch(const Caller& caller, TeamWait what) noexcept
      : CallWatch(caller, function_of(what), kNoFile) {
    if (thread_ == nullptr) {
      return;
    }
    if (thread_->presence != nullptr) {
      begin_team_wait(*thread_);
    } else if (!is_for_one_thread(what)) {  // of a team, the thread that opened it tells
      thread_->watched.frame = nullptr;
      thread_ = nullptr;
    }
  }
  // It turns out to be a call of another kind.
  void was(TeamWait what) noexcept {
    if (thread_ != nullptr) {
      thread_->watched.function = function_of(what);
    }
  }
  // Whether there may be something to write.
  [[gnu::always_inline]] bool end() noexcept {
    if (thread_ == nullptr || thread_->watched.frame == nullptr) {
      return false;
    }
    call_ = thread_->watched;
    thread_->watched.frame = nullptr;
    if (thread_->presence == nullptr) {
      return now() - since_ >= kShortestNamed;
    }
    return has_presence_news(*thread_, 0) || since_ != 0 || call_.begun || call_.since != 0;
  }
  void write(std::uint64_t bytes, const char* path) const noexcept { write({.bytes = bytes, .path = path}); }
  void write(const CallResult& result) const noexcept { end_watched(*thread_, call_, since_, result); }

 private:
  ThreadState* thread_ = nullptr;
  WatchedCall call_{};
  std::uint64_t since_ = 0;  // where clocks tell, and of workers
};

// The wait in that call is over; `woken`: another thread ended it.
void end_noted(CallWatch& watch, NotedWait& wait, const Caller& caller, std::uint32_t function,
               bool woken) noexcept;

}  // namespace waitprof

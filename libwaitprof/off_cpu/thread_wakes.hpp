// Which thread ended the wait of another one: by a condition variable, a semaphore, a barrier or a futex.
//
//   main     pthread_cond_wait(c).......................| Leave, ThreadWoken{7}
//   worker     ... solve() ...   pthread_cond_signal(c) |
//                                ThreadWakes{7}
//
//   main     pthread_mutex_lock(m)..................| Leave, ThreadWoken{8}
//   worker     lock(m), ThreadWakes{7}, write()  unlock(m), ThreadWakes{8}
//
// Of the holder of a lock only what it did since it took it counts: a wake that nobody waits for is written there, if
// somebody has waited for this lock before. Of a holder that calls MPI there is a timeline, which tells.
//
// Waits are noted in a table by the address of what they wait for. Who signals looks there, and finds nothing for the
// most part: this is all that it costs. It writes an event only if somebody has waited for long.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

#include "libwaitprof/buffer/thread_state.hpp"
#include "libwaitprof/callpath/caller.hpp"

namespace waitprof {

struct Wake {
  std::uint64_t number = 0;  // among those of the process, from 1; 0: not known
  bool by_caller = false;    // of MPI: then it has an operation of its own
};

// Of the calling thread, which is about to wait for `object`, if its waits are recorded. Has no destructor: the program
// may leave the call by an exception, cancellation or longjmp, see forget_wait(). nullptr: it will not have to wait.
class NotedWait {
 public:
  explicit NotedWait(const void* object) noexcept;
  // The wait is over.
  Wake end() noexcept;
  std::uint64_t since() const noexcept { return since_; }  // 0: not noted

 private:
  std::uint64_t before_ = 0, since_ = 0;
  std::uint32_t place_ = 0;
};

// Of a thread that left its call otherwise.
void forget_wait(ThreadState& thread) noexcept;

// A sample at that stack pointer, of a thread of which nothing else tells when it was on a processor: none where it
// waits. The call is then written down from its start, before which no event may come.
inline bool skips_sample(ThreadState& thread, std::uintptr_t stack) noexcept {
  const bool waits = thread.presence == nullptr && thread.waits_at != 0 &&
                     stack < reinterpret_cast<std::uintptr_t>(thread.wait_frame);
  thread.skips_samples = thread.skips_samples || waits;
  return waits;
}

bool is_waited_for(const void* object) noexcept;
bool was_waited_for(const void* lock) noexcept;
void tell_taken(const void* lock) noexcept;
void tell_let_go(const void* lock, const Caller* caller, const char* call) noexcept;
void tell_wake(const void* object, const Caller& caller, const char* call) noexcept;

// Somebody is about to end the waits for `object`, in that call. Async-signal-safe.
[[gnu::always_inline]] inline void wake(const void* object, const Caller& caller, const char* call) noexcept {
  if (is_waited_for(object)) [[unlikely]] {
    tell_wake(object, caller, call);
  }
}

// This thread has taken a lock, or lets go of it.
[[gnu::always_inline]] inline void took(const void* lock) noexcept {
  if (was_waited_for(lock)) [[unlikely]] {
    tell_taken(lock);
  }
}
[[gnu::always_inline]] inline void let_go(const void* lock, const Caller& caller, const char* call) noexcept {
  if (is_waited_for(lock)) [[unlikely]] {
    tell_let_go(lock, &caller, call);
  }
}
// In a call that waits for something else.
[[gnu::always_inline]] inline void let_go(const void* lock) noexcept {
  if (is_waited_for(lock)) [[unlikely]] {
    tell_let_go(lock, nullptr, nullptr);
  }
}

}  // namespace waitprof

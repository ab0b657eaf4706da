// The life of one recorded MPI call, the same for all functions; what a function means is in its hook.
//
//   wrapper (generated)  record_call(Call, caller, hook, real)
//     begin              nested or not recording: straight to MPI. Room in the buffer, else flush.
//     hook.before        copies what MPI will overwrite
//     Enter              with the call path of the caller; the Enter of a poll is recorded only once it has
//                        found something, and then with the time when the row of polls before it began
//     real               PMPI
//     hook.after         messages, completions, collectives
//     Leave
//     hook.left          what would disturb the call
//
// A hook is a plain struct of roles with any of: most_events(), before(call), after(call), left(call),
// kSeesFailures, kMayBeKept, and for polls polls() and found_nothing(). It touches nothing of the application
// that MPI has not accepted or must read anyway, does not allocate, and holds no lock while MPI runs.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>

#include "libwaitprof/buffer/call_totals.hpp"
#include "libwaitprof/buffer/event.hpp"
#include "libwaitprof/buffer/recorder.hpp"
#include "libwaitprof/buffer/repeated_call.hpp"
#include "libwaitprof/buffer/thread_state.hpp"
#include "libwaitprof/callpath/caller.hpp"  // IWYU pragma: export
#include "libwaitprof/generated/pmpi.hpp"
#include "libwaitprof/hooks/pauses.hpp"
#include "libwaitprof/hooks/polling.hpp"
#include "libwaitprof/mpi/fortran_library.hpp"  // IWYU pragma: export
#include "libwaitprof/mpi/other_tools.hpp"      // IWYU pragma: export
#include "libwaitprof/presence/presence.hpp"
#include "libwaitprof/settings/call_filter.hpp"
#include "libwaitprof/threads/excerpts.hpp"

// Of a wrapper: where the application called MPI.
#define WAITPROF_RETURN_ADDRESS reinterpret_cast<std::uintptr_t>(__builtin_return_address(0))

// The wrappers are the only symbols that other libraries see.
#define WAITPROF_EXPORT __attribute__((visibility("default")))

namespace waitprof {

// Whether nothing has to be done before the call.
inline bool is_ready(const ThreadState& thread, std::size_t events) noexcept {
  return thread.mpi_depth == 0 && recording() && thread.registered && !thread.outside &&
         thread.excerpt == current_excerpt.load(std::memory_order_relaxed) &&
         thread.limit - thread.cursor >= static_cast<std::ptrdiff_t>(events);
}

// Until step_out() the sampler leaves the thread alone.
inline void step_in(ThreadState& thread, const Caller& caller) noexcept {
  ++thread.mpi_depth;
  thread.call_frame = reinterpret_cast<std::uintptr_t>(caller.frame);
  __atomic_signal_fence(__ATOMIC_SEQ_CST);
}
inline void step_out(ThreadState& thread) noexcept {
  __atomic_signal_fence(__ATOMIC_SEQ_CST);
  --thread.mpi_depth;
}

// Code that every call runs through is forced inline: it is used in so many wrappers that GCC would not
// inline it.
class RecordedCall {
 public:
  RecordedCall(Call region, const Caller& caller) noexcept : region_(region), caller_(caller) {}

  // False: this call is not recorded (nested, recorder idle or stopped, no memory).
  [[gnu::always_inline]] bool begin(std::size_t most_events) noexcept {
    ThreadState& thread = this_thread;
    if (!is_ready(thread, most_events)) [[unlikely]] {
      return begin_unready(most_events);
    }
    step_in(thread, caller_);
    set_out(thread, false);
    return true;
  }
  // The same for a poll that has found something.
  void begin_late(ThreadState& thread, std::uint64_t enter) noexcept {
    set_out(thread, false);
    enter_ = enter;
  }
  void enter() noexcept;  // stamps and records the Enter, unless paused() and not counted()
  void stamp_enter(std::uint64_t time = now()) noexcept { enter_ = time; }  // enter_late() may record it
  void enter_late() noexcept;                                               // also in a pause
  [[gnu::always_inline]] void stamp_leave() noexcept { leave_ = paused() && !counted_ ? 0 : now(); }
  [[gnu::always_inline]] void end() noexcept {  // records the Leave, unless paused()
    if (counted_ || paused() || leave_ >= thread_->next_usage || thread_->operators.time != 0 ||
        has_presence_news(*thread_, leave_)) [[unlikely]] {
      return end_specially();
    }
    if (!repeated_.end(*thread_, leave_)) {
      add_region(EventType::Leave, leave_, kNoCallPathId);
      repeated_.keep(*thread_);
    }
    step_out(*thread_);
  }
  // Ends a poll that found nothing.
  void end_unrecorded() noexcept {
    if (paused() && !counted_) {
      ++thread_->left_out.failed_polls;
    } else {
      add_failed_poll(*thread_, region_, caller_, enter_);
    }
    step_out(*thread_);
  }
  // Records when the thread was off the processor, up to a time after all recorded events.
  [[gnu::always_inline]] void note_presence(std::uint64_t until, PresenceOf what) noexcept {
    if (!paused()) {
      record_presence(*thread_, until, what);
    } else if (has_presence_news(*thread_, until)) [[unlikely]] {
      skip_presence(*thread_);
    }
  }
  void join_row() noexcept;  // of a poll that found something: the row of polls before it is its waiting

  [[gnu::always_inline]] void add_message(EventType type, std::uint64_t time,
                                          const MessageData& message) noexcept {
    if (!repeated_.has(*thread_, type, message, leave_)) {
      append(*thread_, type, time, &Event::Payload::message, message);
    }
  }
  void add_collective_begin() noexcept;  // at the enter time
  void add_communicator(EventType type,
                        std::uint32_t comm) noexcept;  // CommCreate, CommDestroy: at the leave time
  void add_collective_end(CollectiveOp op, std::uint32_t comm, std::int32_t root = kNoRoot,
                          std::uint64_t sent = 0,
                          std::uint64_t received = 0) noexcept;  // at the leave time
  void add_rma(EventType type, std::uint64_t time, const RmaData& data) noexcept;
  void add_peers(std::uint32_t peer_list) noexcept;  // of the collective that is added next
  void add_collective_complete(CollectiveOp op, std::uint32_t comm, std::int32_t root, std::uint64_t sent,
                               std::uint64_t received) noexcept;  // at the leave time

  // A message or a collective for which no event can be recorded, because its communicator is not known.
  void count_untracked() const noexcept { thread_->left_out.untracked += paused() ? 0 : 1; }
  void count_untimed_operator() const noexcept { ++thread_->left_out.untimed_operators; }

  ThreadState& thread() const noexcept { return *thread_; }
  std::uint64_t entered() const noexcept { return enter_; }
  std::uint64_t left() const noexcept { return leave_; }
  // Nothing of this call is recorded, and its events are taken back.
  bool paused() const noexcept { return paused_ || filtered_; }
  // WAITPROF_PROFILE=light: it counts in the totals of its call path, even while paused().
  bool counted() const noexcept { return counted_; }
  // Counts messages that start or end in a pause, without an event.
  void count_message(std::uint64_t bytes) noexcept;
  void count_collective(std::uint64_t bytes) noexcept;
  // Keeps the events of a filtered function, because it completes a recorded request. Only for hooks with
  // kMayBeKept, before they add anything.
  void keep() noexcept;

  // What MPI did with the results of the program's reduction operators, see operator.hpp.
  enum class Results : std::uint8_t { LastKept, AllKept, AllPassedOn };
  void has_results(Results results) noexcept { results_ = results; }

  int result = MPI_SUCCESS;

 private:
  static constexpr std::uint32_t kNotAsked = UINT32_MAX;

  bool begin_unready(std::size_t most_events) noexcept;
  void set_out(ThreadState& thread, bool paused) noexcept {
    thread_ = &thread;
    first_ = thread.cursor;
    paused_ = paused;
    filtered_ = is_filtered(region_);
    counted_ = thread.totals != nullptr && !filtered_ && pauses_are_counted();
  }
  void end_specially() noexcept;
  bool take_out_operators() noexcept;
  void write_beside(std::span<const Event> events, std::uint32_t function) noexcept;
  void write_in_parts(std::span<const Event> events, std::uint32_t function, bool is_operation) noexcept;
  void add_operator(std::uint32_t function, std::uint32_t path, std::uint64_t begin,
                    std::uint64_t end) noexcept;
  void add_enter() noexcept;
  void add_collective(EventType type, std::uint64_t time, const CollectiveData& data) noexcept;
  void add_usage() noexcept;
  CallTotal& total() noexcept;
  void count() noexcept;
  [[gnu::always_inline]] void add_region(EventType type, std::uint64_t time,
                                         std::uint32_t call_path) noexcept {
    append(*thread_, type, time, &Event::Payload::region, {static_cast<std::uint32_t>(region_), call_path});
  }

  Call region_;
  bool paused_ = false;    // requests and communicators are tracked, but the events are taken back at the end
  bool filtered_ = false;  // the same, because of the function
  bool counted_ = false;
  Results results_ = Results::LastKept;
  std::uint32_t call_path_ = kNotAsked;
  Caller caller_;
  RepeatedCall repeated_;
  ThreadState* thread_ = nullptr;
  Event* first_ = nullptr;
  std::uint64_t enter_ = 0;
  std::uint64_t leave_ = 0;
};

inline constexpr std::size_t kUsualEvents = 16;  // at most, of a call without arrays of requests

// Polls that begin now leave nothing behind if they find nothing.
inline bool may_be_polled(const ThreadState& thread, Call region, std::size_t most_events) noexcept {
  return is_ready(thread, most_events) && !is_filtered(region) && thread.totals == nullptr;
}

// What follows after MPI has returned.
template <class Hook>
inline int finish_call(RecordedCall& call, Hook& hook, bool polls) {
  call.stamp_leave();
  if (polls) {
    call.join_row();
    if (!call.paused()) {
      call.enter_late();
    }
  }
  if constexpr (requires { hook.after(call); }) {
    if (call.result == MPI_SUCCESS || requires { Hook::kSeesFailures; }) {
      hook.after(call);
    }
  }
  call.end();
  if constexpr (requires { hook.left(call); }) {
    if (call.result == MPI_SUCCESS) {
      hook.left(call);
    }
  }
  return call.result;
}

// A poll that may_be_polled(): a call is made of it only when it has found something.
template <class Hook, class Real>
[[gnu::always_inline]] inline int record_poll(ThreadState& thread, Call region, const Caller& caller,
                                              Hook& hook, Real& real) {
  step_in(thread, caller);
  if constexpr (requires { hook.before(thread); }) {
    hook.before(thread);
  }
  const std::uint64_t enter = now();
  const int result = real(hook);
  if (result == MPI_SUCCESS && hook.found_nothing()) {
    add_failed_poll(thread, region, caller, enter);
    step_out(thread);
    return result;
  }
  RecordedCall call(region, caller);
  call.begin_late(thread, enter);
  call.result = result;
  return finish_call(call, hook, true);
}

// `hook`: a temporary, used where it was made, since a copy would have to wait for its stores.
template <class Hook, class Real>
requires(!std::is_reference_v<Hook>)
    [[gnu::always_inline]] inline int record_call(Call region, const Caller& caller, Hook&& hook, Real real) {
  std::size_t most_events = kUsualEvents;
  if constexpr (requires { hook.most_events(); }) {
    most_events = hook.most_events();
  }
  if constexpr (requires { hook.polls(); }) {
    if (hook.polls() && may_be_polled(this_thread, region, most_events)) {
      return record_poll(this_thread, region, caller, hook, real);
    }
  }
  RecordedCall call(region, caller);
  if (!call.begin(most_events)) {
    return real(hook);
  }
  if constexpr (requires { hook.before(call); }) {
    hook.before(call);
  } else if constexpr (requires { hook.before(call.thread()); }) {
    hook.before(call.thread());
  }
  bool polls = false;
  if constexpr (requires { hook.polls(); }) {
    polls = hook.polls();
  }
  if (polls || (call.paused() && !call.counted() && requires { Hook::kMayBeKept; })) {
    call.stamp_enter();
  } else {
    call.enter();
  }
  call.result = real(hook);
  if constexpr (requires { hook.found_nothing(); }) {
    if (polls && call.result == MPI_SUCCESS && hook.found_nothing()) {
      call.end_unrecorded();
      return call.result;
    }
  }
  return finish_call(call, hook, polls);
}

}  // namespace waitprof

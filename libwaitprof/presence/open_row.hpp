// The row of polls that a thread is in, and how it ends when another event comes.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <utility>

#include "libwaitprof/buffer/recorder.hpp"
#include "libwaitprof/buffer/thread_state.hpp"
#include "libwaitprof/presence/presence.hpp"

namespace waitprof {

// What was judged to be nothing but polling becomes a call of its own; the rest is left out. Few polls become one
// if there is a `pause` behind them.
[[gnu::noinline]] inline void write_poll_row(ThreadState& thread, bool pause) noexcept {
  const PollRow row = std::exchange(thread.row, {});
  const bool few = !row.counts();
  const bool told = !few || (pause && row.is_named && row.judged > row.first);
  if (!told || !recording() || thread.outside) {
    return;
  }
  const bool own = &thread == &this_thread;  // a thread at rest has already noted where it was
  if (own) {
    record_presence(thread, row.first);
  }
  if (!few) {
    append(thread, EventType::Polls, row.first, &Event::Payload::step, std::uint64_t{row.judged_polls});
  }
  append(thread, EventType::Enter, row.first, &Event::Payload::region, {row.region, row.call_path});
  if (own) {
    record_presence(thread, row.judged, PresenceOf::MpiCall);
  }
  append(thread, EventType::Leave, row.judged, &Event::Payload::region, {row.region, kNoCallPathId});
  if (few) {
    thread.told_poll = row.first;
    thread.told_behind = thread.cursor;
  }
}

// Before any other event of the thread. By the thread itself while its sampler keeps out, by its sampler, or
// for a thread at rest.
inline void end_poll_row(ThreadState& thread) noexcept {
  if (__builtin_expect(thread.row.polls != 0, 0)) {
    write_poll_row(thread, true);
  }
}

// Before a call of MPI that begins now, or did so at `time`.
inline void end_poll_row_at_call(ThreadState& thread, std::uint64_t time) noexcept {
  write_poll_row(thread, !thread.row.goes_on_at(time));
}

// At this time the thread does nothing but poll: it is as good as inside of MPI.
inline bool is_polling(const ThreadState& thread, std::uint64_t time) noexcept {
  return thread.row.counts() && thread.row.goes_on_at(time);
}

// Writes the open row where it survives if the process is killed. Called when the row begins to count, and at
// the sampler's ticks.
inline void tell_open_row(ThreadState& thread) noexcept {
  const PollRow& row = thread.row;
  if (thread.area != nullptr && row.counts()) {
    thread.area->open_row = {row.first, row.judged, row.judged_polls, row.region, row.call_path};
  }
}

}  // namespace waitprof

// A thread's event buffer -> its event file.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

#include "libwaitprof/buffer/thread_state.hpp"

namespace waitprof::archive {

// Empties the buffer. False: nothing can be written now; the events stay where they are; a recording
// that is not over by itself is over then.
bool write_events(ThreadState& thread);

// In the buffer, since they could not be written.
std::uint64_t unwritten_events(const ThreadState& thread) noexcept;

// The same of a thread whose buffer is divided (buffer/excerpts.hpp), at the end: every slot, then the
// totals.
// Behind all events of the thread: what its teams did.
void write_teams(ThreadState& thread);
bool write_excerpts(ThreadState& thread);

// write_events() in the middle of a recording, which shows in it as a pause.
bool flush_events(ThreadState& thread);

// The thread did the recorder's work since `begin`.
void mark_pause(ThreadState& thread, std::uint64_t begin);

}  // namespace waitprof::archive

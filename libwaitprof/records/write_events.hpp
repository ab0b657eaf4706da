// A thread's event buffer -> its event file.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

#include "libwaitprof/buffer/thread_state.hpp"

namespace waitprof::archive {

// Empties the buffer. False: nothing can be written now, and the events stay where they are; if the recording
// was still running, it ends here.
bool write_events(ThreadState& thread);

// The number of events that are still in the buffer because they could not be written.
std::uint64_t unwritten_events(const ThreadState& thread) noexcept;

// The same for a thread whose buffer is divided (threads/excerpts.hpp), at the end: every slot, then the
// totals. Called after all events of the thread are written: writes what its teams did.
void write_teams(ThreadState& thread);
bool write_excerpts(ThreadState& thread);

// write_events() in the middle of a recording; it is recorded as a pause.
bool flush_events(ThreadState& thread);

// Records that since `begin` the thread has been doing the recorder's work.
void mark_pause(ThreadState& thread, std::uint64_t begin);

}  // namespace waitprof::archive

// Event buffers and tables that survive the process: shared mappings of files in DIR/unfinished
// (crash_safe_layout.hpp). The launcher kills with SIGKILL, so nothing could be saved at the end; with these
// mappings nothing has to be.
//
// Every page is allocated on the disk before it is mapped, so that a full file system is an error here and
// never a SIGBUS later. Without room, or on a file system that may need new room to write a page again,
// memory stays anonymous: everything is recorded, but a run that is killed leaves nothing.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>

#include "libwaitprof/buffer/thread_state.hpp"
#include "libwaitprof/schema/crash_safe_layout.hpp"

namespace waitprof {

// Maps this rank's journal. Returns 0, or the errno of what went wrong: then nothing survives a crash.
int open_journal(int rank) noexcept;

// Moves the event buffer of `thread`, empty so far, into a file. Without a journal, or without room, it stays
// where it is. Returns 0 or errno.
int make_buffer_crash_safe(ThreadState& thread) noexcept;

// Room for CallTotals in the thread's file, all zeros; nullptr if there is none.
void* totals_in_file(ThreadState& thread) noexcept;

// The archive is complete: removes this rank's files.
void remove_crash_safe_files() noexcept;

// In a forked child, which shares the mappings: nothing is written to them any more.
void leave_crash_safe_files() noexcept;

}  // namespace waitprof

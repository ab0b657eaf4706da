// EventBuffers -> one OTF2 archive of all ranks. The only room that includes <otf2/otf2.h>.
//
// open() and close() are collective over MPI_COMM_WORLD (they talk on a private duplicate). No function
// throws; none touches the application's own communicators. On failure the recorder gives up and the
// application goes on.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

#include "libwaitprof/buffer/thread_state.hpp"

namespace waitprof::archive {

// Creates the directory (rank 0; WAITPROF_DIR, or waitprof-<exe>-<N>p-<date>-<time>; never an existing
// archive: a suffix -2, -3 ... is added and said) and opens every rank's part. True on all ranks or on none.
bool open() noexcept;

// The same for this process alone, without communication: all processes of a job find the same directory.
// There is no close(): what it leaves in its files is the recording (recover/). False: it gave up.
bool open_alone() noexcept;

// The last session ends.
void end_alone() noexcept;

// Finds the functions in the program and its libraries that WAITPROF_FILTER_FUNCTIONS leaves out. Called once
// it is known that this process records. Functions of libraries that are loaded later are recorded.
void apply_function_filter() noexcept;

// Moves a thread's buffered events into its event file and empties the buffer; FlushBegin/FlushEnd mark the
// pause. Called by the owning thread at an MPI call boundary. False: the archive gave up.
bool flush(ThreadState& thread) noexcept;

// The same for a buffer of another thread's samples, which it does not touch itself: no pause of its own.
bool flush_samples(ThreadState& thread) noexcept;

// Writes what is still buffered on every rank, unifies definitions over all ranks, writes the anchor last.
void close() noexcept;

// All ranks have just left the same call: how far the clocks of the nodes have drifted, see ClockOffsets.
// Marked like a flush, unless the recording is paused. Room for two events is needed.
void compare_clocks(ThreadState& thread, bool paused) noexcept;

// MPI_Abort on this rank: notes it. The events are safe where they are.
void abandon(int code) noexcept;

// The archive directory (absolute), "" if none.
const char* directory() noexcept;

}  // namespace waitprof::archive

// Threads that call MPI: each gets an event buffer on its first call. The state of a thread that has ended
// stays in the list until the archive is closed, unless a later thread takes it over: the number of buffers,
// files and locations depends on how many threads live at the same time, not on how many there ever were.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "libwaitprof/buffer/thread_state.hpp"

namespace waitprof {

// This thread's state, registered (buffer mapped, in the thread list) on first use; nullptr if there is no
// memory.
ThreadState* registered_thread() noexcept;

// For a thread that does not call MPI: a buffer, its file and a place in the list, which another thread
// writes. nullptr: there is no memory.
ThreadState* place_for_samples() noexcept;

}  // namespace waitprof

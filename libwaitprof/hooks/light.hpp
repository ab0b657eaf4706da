// WAITPROF_PROFILE=light: where excerpts begin and end. Nothing happens in full recordings.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "libwaitprof/buffer/thread_state.hpp"

namespace waitprof {

// A time step begins, or a blocking collective over MPI_COMM_WORLD is over, on the thread that initialised
// MPI.
void pass_mark(ThreadState& thread, bool is_step) noexcept;

// MPI_Finalize begins.
void begin_last_excerpt() noexcept;

}  // namespace waitprof

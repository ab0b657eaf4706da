// MPI calls that do not return: an error handler or a callback of the application throws an exception or
// jumps (longjmp) out of them. What a thread does afterwards is no longer inside MPI.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "libwaitprof/buffer/thread_state.hpp"

namespace waitprof {

// Closes an open call of the application that was left, with a Leave if its Enter was recorded.
void close_left_call(ThreadState& thread) noexcept;

// True if a call whose caller has this frame (Caller::frame) was made by MPI, inside the open call. It was
// not if it comes from the same frame as the open call, or from one further up the stack: then the open call
// was left, and is closed.
bool is_nested_call(ThreadState& thread, const void* frame) noexcept;

}  // namespace waitprof

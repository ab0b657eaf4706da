// The sampler: one POSIX timer per thread, whose signal records the call path of the computation. Comes in:
// settings (mode, rate) and a registered thread. Goes out: Sample events in that thread's buffer.
//
// A tick never makes the application's system calls fail with EINTR: see interrupted_call.hpp.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

#include "libwaitprof/buffer/thread_state.hpp"
#include "libwaitprof/workers/worker_threads.hpp"

namespace waitprof {

// Starts this thread's timer as settings say; called by the thread itself, after start_call_paths(). False:
// sampling is off, or the system refused a timer (said once on stderr; the run goes on without samples).
bool start_sampling(ThreadState& thread) noexcept;

// Deletes the timer; by any thread, harmless when there is none. A tick already on its way is ignored.
void stop_sampling(ThreadState& thread) noexcept;

// The calling thread is sampled; from now on, threads that never call MPI are sampled as well
// (worker_threads.hpp).
void start_sampling_workers(WriteWorkerSample write) noexcept;

// Interrupted system calls that could not be continued: each failed once with EINTR, and its thread is no
// longer sampled.
std::uint64_t unrepaired_system_calls() noexcept;

}  // namespace waitprof

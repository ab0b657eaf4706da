// Threads that never call MPI: how what is sampled of them comes into the recording (sampling/ has the rest).
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

namespace waitprof {

// By a sampled thread, when recording begins.
void start_recording_workers() noexcept;

// Finds new ones and writes down what was sampled. In an MPI call, while its thread is not sampled.
void record_workers() noexcept;

// The last samples. What else happens to the threads is not recorded.
void finish_recording_workers() noexcept;

}  // namespace waitprof

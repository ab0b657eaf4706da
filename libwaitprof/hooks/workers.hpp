// Threads that never call MPI: how their samples get into the recording (sampling/ has the rest).
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

namespace waitprof {

// Called by a sampled thread, when recording begins.
void start_recording_workers() noexcept;

// Finds new threads and writes their samples. Called inside an MPI call, while the calling thread is not
// sampled.
void record_workers() noexcept;

// Writes the last samples. Nothing that the threads do later is recorded.
void finish_recording_workers() noexcept;

}  // namespace waitprof

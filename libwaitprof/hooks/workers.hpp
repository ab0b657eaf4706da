// Threads that never call MPI: how their samples get into the recording (sampling/ has the rest).
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

#include "libwaitprof/workers/worker_threads.hpp"

namespace waitprof {

// By how much samples delay a rank, ns: those of the calling thread and of its workers. `processors`: for all of them;
// 0: not known.
std::uint64_t upkeep_by_the_clock(std::uint64_t own, const WorkerUpkeep& of_workers,
                                  std::uint64_t processors) noexcept;

// Called by a sampled thread, when recording begins.
void start_recording_workers() noexcept;

// Finds new threads and writes their samples. Called inside an MPI call, while the calling thread is not
// sampled.
void record_workers() noexcept;

// Writes the last samples. Nothing that the threads do later is recorded.
void finish_recording_workers() noexcept;

}  // namespace waitprof

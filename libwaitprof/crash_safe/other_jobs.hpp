// Processes outside MPI_COMM_WORLD that this job communicated with (MPI_Comm_spawn, accept, connect, join).
// They have an archive of their own, if they are recorded at all; the recorder does not communicate with
// them.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

namespace waitprof {

struct OtherJobs {
  std::uint32_t parents = 0;    // processes whose MPI_Comm_spawn created this job; 0: none
  std::uint32_t spawned = 0;    // processes that this one spawned, as the root of the call
  std::uint32_t connected = 0;  // the same for accept, connect and join
};

OtherJobs other_jobs() noexcept;

void note_parents(std::uint32_t processes) noexcept;
void note_other_processes(std::uint32_t processes, bool spawned) noexcept;

}  // namespace waitprof

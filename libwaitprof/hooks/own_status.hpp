// Statuses for MPI to fill where the application ignores them: only they say what was received.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <cstddef>

#include "libwaitprof/buffer/recorder.hpp"

namespace waitprof::hooks {

// The application's own statuses (even if NULL, which MPI will reject), or scratch memory for `count` of them
// (after its first `offset` bytes); the application's argument if there is no memory.
inline MPI_Status* statuses_to_fill(ThreadState& thread, MPI_Status* given, std::size_t count,
                                    std::size_t offset = 0) noexcept {
  if (given != MPI_STATUSES_IGNORE) {
    return given;
  }
  auto* scratch = static_cast<char*>(scratch_memory(thread, offset + count * sizeof(MPI_Status)));
  return scratch != nullptr ? reinterpret_cast<MPI_Status*>(scratch + offset) : given;
}

// Whether MPI filled in the status.
inline bool is_filled(const MPI_Status* status) noexcept {
  return status != MPI_STATUS_IGNORE && status != nullptr;
}

}  // namespace waitprof::hooks

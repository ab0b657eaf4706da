// Reading and writing files (MPI 4.0, 14.4): a region with the bytes that were moved, on its Leave.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "libwaitprof/hooks/call.hpp"

namespace waitprof::hooks {

// Blocking, and MPI_File_*_end: the status says what was moved.
struct FileAccess {
  MPI_Status* status;

  void before(const RecordedCall& call) noexcept;
  void after(RecordedCall& call) const noexcept;
};

// Nonblocking ones: what was asked for.
struct FileRequest {
  MPI_Count count;
  MPI_Datatype datatype;

  void after(RecordedCall& call) const noexcept;
};

}  // namespace waitprof::hooks

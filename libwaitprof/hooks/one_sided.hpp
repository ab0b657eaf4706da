// One-sided communication (MPI 4.0, 12): windows, operations on the memory of others, and what synchronises
// them. Operations carry the enter time of their call; locks, flushes and the ends of epochs its leave time.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "libwaitprof/handles/windows.hpp"
#include "libwaitprof/hooks/call.hpp"

namespace waitprof::hooks {

// MPI_Win_create, MPI_Win_allocate ...: collective over the communicator.
struct WinConstructor {
  MPI_Comm comm;
  const MPI_Win* win;
  bool allocates = false;

  void after(RecordedCall& call) const noexcept;
};

struct WinFree {
  const MPI_Win* win;
  MPI_Win handle = MPI_WIN_NULL;  // MPI overwrites the application's

  void before(const RecordedCall& call) noexcept;
  void after(RecordedCall& call) const noexcept;
};

struct WinSetName {
  MPI_Win win;
  const char* name;

  void after(const RecordedCall& call) const noexcept;
};

struct WinFence {
  MPI_Win win;

  void after(RecordedCall& call) const noexcept;
};

// MPI_Put, MPI_Get, MPI_Accumulate ..., MPI_Rput ...
struct RmaAccess {
  using enum RmaOperation;

  MPI_Count count = 1;  // what goes to the target; for MPI_Get, what comes from it
  MPI_Datatype datatype;
  MPI_Count resultcount = 0;  // MPI_Get_accumulate: what comes back
  MPI_Datatype resulttype = MPI_DATATYPE_NULL;
  int target;
  MPI_Win win;
  const MPI_Request* request = nullptr;
  MPI_Op op = MPI_OP_NULL;  // MPI_Get_accumulate: with MPI_NO_OP nothing goes to the target
  RmaOperation operation;

  void after(RecordedCall& call) const noexcept;
};

// MPI_Win_start, MPI_Win_complete (access), MPI_Win_post, MPI_Win_wait, MPI_Win_test (exposure).
struct WinEpoch {
  using enum RmaSync;

  MPI_Group group = MPI_GROUP_NULL;  // given by the two calls that open an epoch
  MPI_Win win;
  const int* flag = nullptr;  // MPI_Win_test
  RmaSync phase;

  bool polls() const noexcept { return flag != nullptr; }
  bool found_nothing() const noexcept { return *flag == 0; }
  void after(RecordedCall& call) const noexcept;
};

// MPI_Win_lock, MPI_Win_unlock, MPI_Win_flush and their forms for all ranks.
struct WinLock {
  using enum RmaSync;

  int locktype = MPI_LOCK_SHARED;
  int target = kAllTargets;
  MPI_Win win;
  RmaSync phase;

  void after(RecordedCall& call) const noexcept;
};

}  // namespace waitprof::hooks

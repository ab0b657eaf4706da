// MPI_Wait*, MPI_Test*: which requests are complete, and what their completion has to record. Events carry
// the leave time. A test that finds nothing leaves no events.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "libwaitprof/hooks/call.hpp"

namespace waitprof::hooks {

struct Completion {
  enum Which { All, Any, Some };
  static constexpr bool kMayBeKept = true;
  static constexpr bool kSeesFailures = true;  // MPI_ERR_IN_STATUS: the others are complete all the same

  int count = 1;
  const MPI_Request* requests;
  const int* flag = nullptr;      // MPI_Test, MPI_Testall, MPI_Testany
  const int* outcount = nullptr;  // Some
  const int* indices = nullptr;   // Some
  const int* index = nullptr;     // Any
  MPI_Status* statuses;
  Which which = All;
  bool poll = false;
  MPI_Request* handles = nullptr;  // copies: MPI overwrites those of completed requests

  std::size_t most_events() const noexcept;
  bool polls() const noexcept { return poll; }
  bool found_nothing() const noexcept;
  void before(const RecordedCall& call) noexcept;
  void after(RecordedCall& call) const noexcept;

  void complete(RecordedCall& call, int request, const MPI_Status* status) const noexcept;
  void complete_after_failure(RecordedCall& call) const noexcept;
};

}  // namespace waitprof::hooks

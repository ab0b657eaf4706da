// MPI_Wait*, MPI_Test*: which requests are complete, and what their completion has to record. Events carry
// the leave time. A test that finds nothing leaves no events.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "libwaitprof/hooks/call.hpp"
#include "libwaitprof/hooks/own_status.hpp"

namespace waitprof::hooks {

// Holds the copy of one handle and one status, so that they need no scratch memory. Not initialised.
struct OfOne {
  OfOne() noexcept {}
  MPI_Request handle;
  MPI_Status status;
};

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
  OfOne of_one{};

  std::size_t most_events() const noexcept {
    return kUsualEvents + (count > 0 ? 3 * static_cast<std::size_t>(count) : 0);
  }
  bool polls() const noexcept { return poll; }
  bool found_nothing() const noexcept { return which == Some ? *outcount == 0 : *flag == 0; }
  void before(ThreadState& thread) noexcept {
    if (count == 1 && requests != nullptr) {
      of_one.handle = *requests;
      handles = &of_one.handle;
      statuses = statuses == MPI_STATUS_IGNORE ? &of_one.status : statuses;
    } else if (count > 1 && requests != nullptr) {
      copy_handles(thread);
    }
  }
  void after(RecordedCall& call) const noexcept;

  void copy_handles(ThreadState& thread) noexcept;
  void complete(RecordedCall& call, int request, const MPI_Status* status) const noexcept;
  void complete_after_failure(RecordedCall& call) const noexcept;
};

}  // namespace waitprof::hooks

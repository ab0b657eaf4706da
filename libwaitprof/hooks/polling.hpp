// Polls that find nothing, and the rows they come in (buffer/poll_row.hpp).
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

#include "libwaitprof/buffer/thread_state.hpp"
#include "libwaitprof/callpath/caller.hpp"
#include "libwaitprof/generated/calls.hpp"

namespace waitprof {

// The row's last poll was long ago: it goes on all the same, or another one begins at `enter`.
void resume_row(ThreadState& thread, Call region, const Caller& caller, std::uint64_t enter) noexcept;

// Times the poll that was added last.
void time_poll(ThreadState& thread, Call region, const Caller& caller, std::uint64_t enter) noexcept;

inline void add_failed_poll(ThreadState& thread, Call region, const Caller& caller,
                            std::uint64_t enter) noexcept {
  ++thread.left_out.failed_polls;
  if (!thread.row.goes_on_at(enter)) [[unlikely]] {
    resume_row(thread, region, caller, enter);
  }
  if (thread.row.add(enter)) [[unlikely]] {
    time_poll(thread, region, caller, enter);
  }
}

}  // namespace waitprof

// SPDX-License-Identifier: BSD-3-Clause
#include "libwaitprof/hooks/polling.hpp"

#include "libwaitprof/buffer/hot.hpp"
#include "libwaitprof/buffer/open_row.hpp"
#include "libwaitprof/callpath/call_paths.hpp"
#include "libwaitprof/surroundings/clock.hpp"

namespace waitprof {

// What the thread used is asked for only where a row lasts, which harms no waiter.
WAITPROF_HOT void resume_row(ThreadState& thread, std::uint64_t enter) noexcept {
  PollRow& row = thread.row;
  if (row.used_at != 0 && row.was_preempted_until(enter, thread_use())) {
    return;
  }
  const bool broken = row.counts();
  end_poll_row(thread);
  row = PollRow::beginning(enter, broken);
}

WAITPROF_HOT void time_poll(ThreadState& thread, Call region, const Caller& caller,
                            std::uint64_t enter) noexcept {
  PollRow& row = thread.row;
  const std::uint64_t leave = now();
  if (!row.judge(enter, leave)) {
    end_poll_row(thread);
    row = PollRow::beginning(enter, false);
    row.add(enter);
    row.judge(enter, leave);
  } else if (row.polls == PollRow::kFewest) {
    row.region = static_cast<std::uint32_t>(region);
    row.call_path = call_path_of_caller(caller);
    tell_open_row(thread);
  } else if (row.wants_use(enter, leave)) {
    row.has_used(leave, thread_use());
  }
}

}  // namespace waitprof

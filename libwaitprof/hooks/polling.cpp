// SPDX-License-Identifier: BSD-3-Clause
#include "libwaitprof/hooks/polling.hpp"

#include "libwaitprof/callpath/call_paths.hpp"
#include "libwaitprof/memory/hot.hpp"
#include "libwaitprof/presence/open_row.hpp"
#include "libwaitprof/surroundings/clock.hpp"

namespace waitprof {
namespace {

// Named at once, if it would be told: where it ends there may be nobody to ask.
void begin_row(ThreadState& thread, Call region, const Caller& caller, std::uint64_t enter,
               bool broken) noexcept {
  PollRow& row = thread.row;
  row = PollRow::beginning(enter, broken);
  if (thread.cursor != thread.told_behind || enter - thread.told_poll >= PollRow::kToldApart) {
    row.name(static_cast<std::uint32_t>(region), call_path_of_caller(caller));
  }
}

}  // namespace

// What the thread used is asked for only where a row lasts, which harms no waiter.
WAITPROF_HOT void resume_row(ThreadState& thread, Call region, const Caller& caller,
                             std::uint64_t enter) noexcept {
  PollRow& row = thread.row;
  if (row.used_at != 0 && row.was_preempted_until(enter, thread_use())) {
    return;
  }
  const bool broken = row.counts();
  end_poll_row(thread);
  begin_row(thread, region, caller, enter, broken);
}

WAITPROF_HOT void time_poll(ThreadState& thread, Call region, const Caller& caller,
                            std::uint64_t enter) noexcept {
  PollRow& row = thread.row;
  const std::uint64_t leave = now();
  if (!row.judge(enter, leave)) {
    end_poll_row(thread);
    begin_row(thread, region, caller, enter, false);
    row.add(enter);
    row.judge(enter, leave);
  } else if (row.polls == PollRow::kFewest) {
    if (!row.is_named) {
      row.name(static_cast<std::uint32_t>(region), call_path_of_caller(caller));
    }
    tell_open_row(thread);
  } else if (row.wants_use(enter, leave)) {
    row.has_used(leave, thread_use());
  }
}

}  // namespace waitprof

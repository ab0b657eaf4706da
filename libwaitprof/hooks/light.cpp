// SPDX-License-Identifier: BSD-3-Clause
#include "libwaitprof/hooks/light.hpp"

#include "libwaitprof/handles/requests.hpp"
#include "libwaitprof/hooks/pauses.hpp"
#include "libwaitprof/threads/excerpts.hpp"

namespace waitprof {
namespace {

// current_excerpt is set last: other threads follow once everything is ready.
void go_to(ThreadState& thread, std::uint64_t number) noexcept {
  if (number == thread.excerpt) {
    return;
  }
  const NestedCallsPass inside;
  pause_recording(PauseReason::Excerpts);
  forget_request_ids();
  change_excerpt(thread, number);
  if (number != crash_safe::kNoExcerpt) {
    resume_recording(PauseReason::Excerpts);
  }
  current_excerpt.store(number, std::memory_order_relaxed);
}

}  // namespace

void pass_mark(ThreadState& thread, bool is_step) noexcept {
  if (thread.excerpts == nullptr || thread.thread != 0) {
    return;
  }
  thread.totals->steps += is_step ? 1 : 0;
  go_to(thread, excerpt_schedule.next(is_step));
}

void begin_last_excerpt() noexcept {
  if (this_thread.excerpts != nullptr) {
    go_to(this_thread, crash_safe::kLastExcerpt);
  }
}

}  // namespace waitprof

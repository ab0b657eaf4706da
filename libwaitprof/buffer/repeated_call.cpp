// SPDX-License-Identifier: BSD-3-Clause
#include "libwaitprof/buffer/repeated_call.hpp"

#include "libwaitprof/memory/hot.hpp"

namespace waitprof {

WAITPROF_HOT void RepeatedCall::differ(ThreadState& thread, std::uint64_t leave) noexcept {
  const Event* const end = next_;
  next_ = nullptr;
  for (const Event* event = earlier_ + 1; event != end; ++event) {
    Event again = *event;
    again.time = is_stamped_at_enter(event->type) ? enter_->time : leave & kEventTimeMask;
    append(thread, again);
  }
}

WAITPROF_HOT void RepeatedCall::keep(const ThreadState& thread) const noexcept {
  if (place_ == nullptr) {
    return;
  }
  const Event* event = enter_ + 1;
  for (; event->type != EventType::Leave; ++event) {
    if (!may_be_repeated(event->type)) {
      return;
    }
  }
  if (event + 1 == thread.cursor && event - enter_ < std::ptrdiff_t{kMostRepeatedEvents}) {
    *place_ = static_cast<std::uint32_t>(enter_ - thread.begin);
  }
}

}  // namespace waitprof

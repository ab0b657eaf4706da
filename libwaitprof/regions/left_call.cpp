// SPDX-License-Identifier: BSD-3-Clause
#include "libwaitprof/regions/left_call.hpp"

#include <csignal>
#include <cstdint>

#include "libwaitprof/buffer/event.hpp"
#include "libwaitprof/regions/regions.hpp"
#include "libwaitprof/surroundings/clock.hpp"

namespace waitprof {
namespace {

// On such a stack, addresses do not tell who called whom.
bool on_signal_stack() noexcept {
  stack_t stack{};
  return sigaltstack(nullptr, &stack) != 0 || (stack.ss_flags & SS_ONSTACK) != 0;
}

// Inside MPI no region begins or ends: the last one that began is the call, if it is still open.
const Event* open_call(const ThreadState& thread) noexcept {
  for (const Event* event = thread.cursor; event != thread.begin;) {
    --event;
    if (event->type == EventType::Repeat) {
      return nullptr;
    }
    if (event->type == EventType::Enter || event->type == EventType::Leave) {
      const bool of_mpi = event->u.region.region < kFirstUserRegion;
      return event->type == EventType::Enter && of_mpi ? event : nullptr;
    }
  }
  return nullptr;
}

}  // namespace

void close_left_call(ThreadState& thread) noexcept {
  if (const Event* const call = open_call(thread); call != nullptr) {
    append(thread, EventType::Leave, now(), &Event::Payload::region, {call->u.region.region, kNoCallPathId});
  }
  __atomic_signal_fence(__ATOMIC_SEQ_CST);
  thread.mpi_depth = 0;
}

bool is_nested_call(ThreadState& thread, const void* frame) noexcept {
  if (thread.mpi_depth == 0) {
    return false;
  }
  if (reinterpret_cast<std::uintptr_t>(frame) < thread.call_frame || thread.call_frame == kNoCallFrame ||
      on_signal_stack()) {
    return true;
  }
  close_left_call(thread);
  return false;
}

}  // namespace waitprof

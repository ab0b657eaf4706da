// SPDX-License-Identifier: BSD-3-Clause
#include "libwaitprof/hooks/pauses.hpp"

#include "libwaitprof/buffer/event.hpp"
#include "libwaitprof/buffer/recorder.hpp"
#include "libwaitprof/presence/open_row.hpp"
#include "libwaitprof/presence/presence.hpp"
#include "libwaitprof/regions/open_regions.hpp"
#include "libwaitprof/surroundings/clock.hpp"
#include "libwaitprof/threads/threads.hpp"

namespace waitprof {

constinit std::atomic<unsigned> pause_reasons{0};

namespace {

void add_measurement_switch(ThreadState& thread, EventType type) noexcept {
  end_poll_row(thread);
  append(thread, event_at(type, now()));
}

}  // namespace

void pause_recording(PauseReason reason) noexcept {
  pause_reasons |= static_cast<unsigned>(reason);
  const NestedCallsPass inside;
  ThreadState* thread = recording() ? registered_thread() : nullptr;
  if (thread != nullptr) {
    if (!thread->outside) {
      close_regions(*thread);
      add_measurement_switch(*thread, EventType::MeasurementOff);
    }
    recorder_state.store(RecorderState::Paused, std::memory_order_relaxed);
  }
}

void resume_recording(PauseReason reason) noexcept {
  pause_reasons &= ~static_cast<unsigned>(reason);
  if (pause_reasons != 0 || recorder_state.load(std::memory_order_relaxed) != RecorderState::Paused) {
    return;
  }
  const NestedCallsPass inside;
  ThreadState* thread = registered_thread();
  if (thread != nullptr) {
    recorder_state.store(RecorderState::Recording, std::memory_order_relaxed);
    skip_presence(*thread);
    if (!thread->outside) {
      add_measurement_switch(*thread, EventType::MeasurementOn);
      open_regions(*thread);
    }
  }
}

void end_pause() noexcept {
  if (recorder_state.load(std::memory_order_relaxed) == RecorderState::Paused && !this_thread.outside) {
    add_measurement_switch(this_thread, EventType::MeasurementOn);
  }
}

}  // namespace waitprof

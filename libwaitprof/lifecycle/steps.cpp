// SPDX-License-Identifier: BSD-3-Clause
#include "libwaitprof/lifecycle/steps.hpp"

#include <cstdint>

#include "libwaitprof/archive/archive.hpp"
#include "libwaitprof/buffer/busy_thread.hpp"
#include "libwaitprof/buffer/recorder.hpp"
#include "libwaitprof/hooks/call.hpp"
#include "libwaitprof/hooks/light.hpp"
#include "libwaitprof/hooks/pauses.hpp"
#include "libwaitprof/presence/open_row.hpp"
#include "libwaitprof/settings/settings.hpp"

namespace waitprof {
namespace {

constinit std::uint64_t next_step = 0;  // only the thread that initialised MPI counts

void write_step(ThreadState& thread, std::uint64_t number) noexcept {
  const BusyThread busy(thread);
  end_poll_row(thread);
  if (thread.cursor >= thread.limit && !archive::flush(thread)) return;
  const std::uint64_t time = now();
  record_presence(thread, time);
  Event event = event_at(EventType::Step, time);
  event.u.step = number;
  append(thread, event);
}

}  // namespace

void start_steps() noexcept {
  if (settings.steps.selected && settings.steps.first > 0) pause_recording(PauseReason::Steps);
}

void begin_step() noexcept {
  ThreadState& thread = this_thread;
  if (thread.thread != 0 || !may_interrupt(thread)) return;
  const std::uint64_t number = next_step++;
  pass_mark(thread, true);
  if (settings.steps.selected && number == settings.steps.first) resume_recording(PauseReason::Steps);
  if (settings.steps.selected && number > settings.steps.last) pause_recording(PauseReason::Steps);
  if (recording() && !thread.outside) write_step(thread, number);
}

void continue_step() noexcept {
  ThreadState& thread = this_thread;
  if (next_step == 0 || thread.thread != 0 || !may_interrupt(thread)) return;
  if (recording() && !thread.outside) write_step(thread, next_step - 1);
}

}  // namespace waitprof

// MPI_Init, MPI_Finalize, sessions, MPI_Abort: where recording starts and ends. They do not use record_call,
// because there is nothing to record into before the first or after the last.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <atomic>

#include "libwaitprof/hooks/call.hpp"
#include "libwaitprof/hooks/pauses.hpp"
#include "libwaitprof/hooks/region.hpp"
#include "libwaitprof/lifecycle/agreement.hpp"
#include "libwaitprof/lifecycle/last_progress.hpp"
#include "libwaitprof/lifecycle/recording.hpp"
#include "libwaitprof/presence/early_switches.hpp"
#include "libwaitprof/regions/left_call.hpp"

namespace waitprof {

namespace hooks {
struct Init {};
struct Finalize {};
struct SessionInit {};
struct SessionFinalize {};
struct Abort {
  int errorcode;
};
}  // namespace hooks

// How often MPI is initialised here: sessions, and MPI_Init.
inline constinit std::atomic<int> times_initialised{0};

template <class Start, class Hook, class Real>
inline int initialise(Hook hook, Real real, Start start) {
  const ClockReading before = read_clocks();
  int result = MPI_SUCCESS;
  {
    const NestedCallsPass inside;
    result = real(hook);
  }
  if (result == MPI_SUCCESS) {
    ++times_initialised;
    start(before);
  }
  return result;
}

// Recorded like any call; if this is the last use of MPI, it also ends a recording that this rank made alone.
template <class Real>
inline int finalise_alone(Call region, const Caller& caller, Real real) {
  const int result = record_call(region, caller, hooks::Region{}, real);
  if (result == MPI_SUCCESS && --times_initialised == 0) {
    finish_recording_alone();
  }
  return result;
}

template <class Real>
inline int record_call(Call region, const Caller& caller, hooks::Init hook, Real real) {
  const bool first = recorder_state.load(std::memory_order_relaxed) == RecorderState::Idle || world.alone;
  if (is_nested_call(this_thread, caller.frame) || !first) {
    return real(hook);
  }
  get_ready();
  const int result =
      initialise(hook, real, [&](const ClockReading& before) { start_recording(region, caller, before); });
  end_early_switches();
  return result;
}

template <class Real>
inline int record_call(Call region, const Caller& caller, hooks::SessionInit hook, Real real) {
  if (is_nested_call(this_thread, caller.frame)) {
    return real(hook);
  }
  if (recorder_state.load(std::memory_order_relaxed) == RecorderState::Idle) {
    return initialise(hook, real,
                      [&](const ClockReading& before) { start_recording_alone(region, caller, before); });
  }
  const int result = record_call(region, caller, hooks::Region{}, real);
  times_initialised += result == MPI_SUCCESS ? 1 : 0;
  return result;
}

template <class Real>
inline int record_call(Call region, const Caller& caller, hooks::SessionFinalize hook, Real real) {
  return is_nested_call(this_thread, caller.frame) ? real(hook) : finalise_alone(region, caller, real);
}

template <class Real>
inline int record_call(Call region, const Caller& caller, hooks::Finalize hook, Real real) {
  if (is_nested_call(this_thread, caller.frame)) {
    return real(hook);
  }
  if (world.alone) {
    return finalise_alone(region, caller, real);
  }
  make_progress_in_finalize();
  finish_recording(region, caller);
  const NestedCallsPass inside;
  return real(hook);
}

template <class Real>
inline int record_call(Call region, const Caller& caller, hooks::Abort hook, Real real) {
  if (!is_nested_call(this_thread, caller.frame)) {
    abandon_recording(region, caller, hook.errorcode);
  }
  const NestedCallsPass inside;
  return real(hook);
}

}  // namespace waitprof

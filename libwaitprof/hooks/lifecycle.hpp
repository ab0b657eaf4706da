// MPI_Init, MPI_Finalize, MPI_Abort: where recording starts and ends. They take their own way through
// record_call, because there is nothing to record into before the first or after the last.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "libwaitprof/hooks/call.hpp"
#include "libwaitprof/hooks/recording.hpp"

namespace waitprof {

namespace hooks {
struct Init {};
struct Finalize {};
struct Abort {
  int errorcode;
};
}  // namespace hooks

template <class Real>
inline int record_call(Call region, const Caller& caller, hooks::Init hook, Real real) {
  if (this_thread.mpi_depth > 0 || recorder_state.load(std::memory_order_relaxed) != RecorderState::Idle) {
    return real(hook);
  }
  const ClockReading before = read_clocks();
  int result = MPI_SUCCESS;
  {
    const NestedCallsPass inside;
    result = real(hook);
  }
  if (result == MPI_SUCCESS) {
    start_recording(region, caller, before);
  }
  return result;
}

template <class Real>
inline int record_call(Call region, const Caller& caller, hooks::Finalize hook, Real real) {
  if (this_thread.mpi_depth > 0) {
    return real(hook);
  }
  finish_recording(region, caller);
  const NestedCallsPass inside;
  return real(hook);
}

template <class Real>
inline int record_call(Call region, const Caller& caller, hooks::Abort hook, Real real) {
  if (this_thread.mpi_depth == 0) {
    abandon_recording(region, caller, hook.errorcode);
  }
  const NestedCallsPass inside;
  return real(hook);
}

}  // namespace waitprof

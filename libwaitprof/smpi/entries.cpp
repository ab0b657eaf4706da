// The functions besides MPI's that the program calls: here they lead straight to the recorder.
//
// SPDX-License-Identifier: BSD-3-Clause
#include <mpi.h>

#include "libwaitprof/generated/pmpi.hpp"
#include "libwaitprof/hooks/call.hpp"
#include "libwaitprof/include/waitprof.h"
#include "libwaitprof/lifecycle/pcontrol.hpp"
#include "libwaitprof/lifecycle/steps.hpp"
#include "libwaitprof/regions/open_regions.hpp"
#include "libwaitprof/surroundings/front.hpp"

#define WAITPROF_ENTRY_POINT __attribute__((visibility("default"), no_instrument_function))

std::uint64_t waitprof_regions_before_mpi() noexcept {
  return 0;
}
void waitprof_use_ompt(void (* /*use*/)(void*)) noexcept {}
WaitprofTimeToLoad waitprof_time_to_load() noexcept {
  return {0, 0};
}

extern "C" {

// MPI ignores the further arguments.
WAITPROF_ENTRY_POINT int MPI_Pcontrol(const int level, ...) {
  waitprof::control_recording(level);
  return waitprof::onward::Pcontrol(level);
}

WAITPROF_ENTRY_POINT void waitprof_enter_region(const char* name) {
  if (name != nullptr) waitprof::enter_region(name);
}

WAITPROF_ENTRY_POINT void waitprof_leave_region(const char* name) {
  if (name != nullptr) waitprof::leave_region(name);
}

WAITPROF_ENTRY_POINT void waitprof_begin_step(const char* /*name*/) {
  waitprof::begin_step();
}

WAITPROF_ENTRY_POINT void __cyg_profile_func_enter(void* function, void* /*call_site*/) {
  waitprof::enter_function(reinterpret_cast<std::uintptr_t>(function));
}

WAITPROF_ENTRY_POINT void __cyg_profile_func_exit(void* function, void* /*call_site*/) {
  waitprof::leave_function(reinterpret_cast<std::uintptr_t>(function));
}

}  // extern "C"

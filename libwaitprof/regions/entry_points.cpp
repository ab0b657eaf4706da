// What the application calls: the functions of waitprof.h, and the hooks that compilers call under
// -finstrument-functions (GCC, Clang, gfortran).
//
// SPDX-License-Identifier: BSD-3-Clause
#include <cstdint>

#include "libwaitprof/include/waitprof.h"
#include "libwaitprof/regions/open_regions.hpp"

#define WAITPROF_ENTRY_POINT __attribute__((visibility("default"), no_instrument_function))

extern "C" {

WAITPROF_ENTRY_POINT void waitprof_enter_region(const char* name) {
  if (name != nullptr) waitprof::enter_region(name);
}

WAITPROF_ENTRY_POINT void waitprof_leave_region(const char* name) {
  if (name != nullptr) waitprof::leave_region(name);
}

WAITPROF_ENTRY_POINT void __cyg_profile_func_enter(void* function, void* /*call_site*/) {
  waitprof::enter_function(reinterpret_cast<std::uintptr_t>(function));
}

WAITPROF_ENTRY_POINT void __cyg_profile_func_exit(void* function, void* /*call_site*/) {
  waitprof::leave_function(reinterpret_cast<std::uintptr_t>(function));
}

}  // extern "C"

// The functions that come after ours in the search order of the loader.
//
// SPDX-License-Identifier: BSD-3-Clause
#include <dlfcn.h>

#include <cstdio>

#include "libwaitprof/entries/mpi_in_process.hpp"
#include "libwaitprof/surroundings/front.hpp"

void* waitprof_real_function(const char* name) noexcept {
  char symbol[64];
  std::snprintf(symbol, sizeof symbol, "P%s", name);
  void* const function = dlsym(RTLD_NEXT, symbol);
  return function != nullptr ? function : waitprof::find_in_hidden_mpi(symbol);
}

void* waitprof_next_function(const char* name) noexcept {
  void* const real = waitprof_real_function(name);
  void* const next = dlsym(RTLD_NEXT, name);
  return next != nullptr && waitprof::library_of_function(next) != waitprof::library_of_function(real) ? next
                                                                                                       : real;
}

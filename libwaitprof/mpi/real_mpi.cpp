// The recorder's own way to MPI.
//
// SPDX-License-Identifier: BSD-3-Clause
#include "libwaitprof/mpi/real_mpi.hpp"

#include <cstdlib>

#include "libwaitprof/surroundings/say.hpp"

namespace waitprof::pmpi {

constinit FunctionTable real_functions = {};
constinit FunctionTable next_functions = {};

namespace {

void* remember(void* function, Call call, FunctionTable& functions) noexcept {
  const auto index = static_cast<unsigned>(call);
  if (function == nullptr) {
    say("%s was called, but this process has no MPI library with P%s: cannot go on. Unset LD_PRELOAD for it.",
        kCalls[index].name, kCalls[index].name);
    std::abort();
  }
  functions[index].store(function, std::memory_order_relaxed);
  return function;
}

}  // namespace

void* resolve_real_function(Call call) noexcept {
  return remember(waitprof_real_function(kCalls[static_cast<unsigned>(call)].name), call, real_functions);
}

void* resolve_next_function(Call call) noexcept {
  return remember(waitprof_next_function(kCalls[static_cast<unsigned>(call)].name), call, next_functions);
}

}  // namespace waitprof::pmpi

// The way to the MPI library behind us. The generated pmpi.hpp builds one typed function per MPI function on
// it.
//
// Nothing is resolved before the first call: the library is preloaded into programs that never use MPI, and
// an MPI that comes by dlopen() arrives late.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <atomic>

#include "libwaitprof/generated/calls.hpp"

namespace waitprof::pmpi {

extern constinit std::atomic<void*> real_functions[kCallCount];

// PMPI_<call> of whatever MPI the process has by now, for "MPI_Send" that is PMPI_Send; nullptr if it has
// none.
void* find_real_function(const char* name) noexcept;
inline void* find_real_function(Call call) noexcept {
  return find_real_function(kCalls[static_cast<unsigned>(call)].name);
}

// Finds PMPI_<call> and remembers it. There is nothing sensible to return when the process has no such
// function: says so on stderr and aborts.
void* resolve_real_function(Call call) noexcept;

template <class Pointer>
Pointer real_function(Call call) noexcept {
  void* function = real_functions[static_cast<unsigned>(call)].load(std::memory_order_relaxed);
  if (__builtin_expect(function == nullptr, 0)) {
    function = resolve_real_function(call);
  }
  return reinterpret_cast<Pointer>(function);
}

}  // namespace waitprof::pmpi

// The way to the MPI library behind us, for what the recorder itself asks of it, and the way of the program's
// calls, on which there may be other tools. The generated pmpi.hpp builds two typed functions per MPI
// function on them, in the namespaces pmpi and onward.
//
// Nothing is resolved before the first call: the library is preloaded into programs that never use MPI, and
// an MPI that comes by dlopen() arrives late.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <atomic>

#include "libwaitprof/generated/calls.hpp"

namespace waitprof::pmpi {

using FunctionTable = std::atomic<void*>[kCallCount];
extern constinit FunctionTable real_functions;
extern constinit FunctionTable next_functions;

// PMPI_<call> of whatever MPI the process has by now, for "MPI_Send" that is PMPI_Send; nullptr if it has
// none.
void* find_real_function(const char* name) noexcept;
inline void* find_real_function(Call call) noexcept {
  return find_real_function(kCalls[static_cast<unsigned>(call)].name);
}

// Where a program's call would go if we were not there: another tool's MPI_<call> behind us, which calls
// PMPI_<call> in turn, else that itself; nullptr if there is neither.
void* find_next_function(const char* name) noexcept;
inline void* find_next_function(Call call) noexcept {
  return find_next_function(kCalls[static_cast<unsigned>(call)].name);
}

// Finds a function and remembers it. There is nothing sensible to return when the process has no such
// function: says so on stderr and aborts.
void* resolve_real_function(Call call) noexcept;
void* resolve_next_function(Call call) noexcept;

template <class Pointer, void* (*resolve)(Call) noexcept>
Pointer remembered(const FunctionTable& functions, Call call) noexcept {
  void* function = functions[static_cast<unsigned>(call)].load(std::memory_order_relaxed);
  if (__builtin_expect(function == nullptr, 0)) {
    function = resolve(call);
  }
  return reinterpret_cast<Pointer>(function);
}

template <class Pointer>
Pointer real_function(Call call) noexcept {
  return remembered<Pointer, resolve_real_function>(real_functions, call);
}

template <class Pointer>
Pointer next_function(Call call) noexcept {
  return remembered<Pointer, resolve_next_function>(next_functions, call);
}

}  // namespace waitprof::pmpi

// The way to the MPI library behind us for the recorder's own calls, and the way of the program's calls,
// which may pass through other tools. The generated pmpi.hpp builds two typed functions per MPI function on
// them, in the namespaces pmpi and onward.
//
// Nothing is resolved before the first call: the library is preloaded into programs that never use MPI, and
// an MPI that comes by dlopen() arrives late.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <atomic>

#include "libwaitprof/generated/calls.hpp"
#include "libwaitprof/surroundings/front.hpp"

namespace waitprof::pmpi {

using FunctionTable = std::atomic<void*>[kCallCount];
extern constinit FunctionTable real_functions;
extern constinit FunctionTable next_functions;

// Finds a function and remembers it. If the process has no such function, there is nothing sensible to
// return: says so on stderr and aborts.
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

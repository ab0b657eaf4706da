// Random call chains of functions with all kinds of stack frames, ending in a stand-in for an MPI wrapper.
// There, the recorder's call path is compared with the walk of another unwinder (libgcc's).
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <vector>

namespace waitprof::test {

// What the stand-in for an MPI call saw.
struct SeenCall {
  std::uint32_t path = 0;  // of the recorder
  std::vector<std::uintptr_t>
      expected;  // return addresses by libgcc, innermost first, up to the outermost frame
};

// The last kind calls MPI from a signal handler, which takes a while.
inline constexpr unsigned kSignalFrame = 13;

// One way through the functions: which one is called by which.
struct Chain {
  std::vector<unsigned> kinds;  // of frame, outermost first; any number, taken modulo the number of kinds
  std::size_t position = 0;
  std::size_t sizes = 0;  // of the variable arrays: any number
  std::vector<SeenCall> seen;
};

// Calls the functions of the chain, each from the one before; the last one makes the MPI call.
void follow(Chain& chain);

// The stand-in for an MPI wrapper.
void make_mpi_call(Chain& chain);

}  // namespace waitprof::test

// In a shared object of its own.
extern "C" void call_back_from_far_away(void (*back)(waitprof::test::Chain&), waitprof::test::Chain& chain);

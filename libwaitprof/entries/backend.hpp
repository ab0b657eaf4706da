// What a backend, lib/waitprof/libwaitprof-<mpi>.so, shows to the front, libwaitprof.so: the recorder for one
// kind of MPI library.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>

namespace waitprof {

using Wrapper = void (*)();

struct Backend {
  // The build of the backend: a front of another build has other entries, and another layout of its
  // thread-local block.
  const char* version;
  std::size_t entries;
  std::size_t thread_bytes;
  // Where each entry leads; nullptr: straight to MPI.
  const Wrapper* wrappers;

  void (*enter_region)(const char* name) noexcept;
  void (*leave_region)(const char* name) noexcept;
  void (*enter_function)(std::uintptr_t function) noexcept;
  void (*leave_function)(std::uintptr_t function) noexcept;
  void (*begin_step)() noexcept;
  void (*adopt_regions)() noexcept;  // RegionStack::early
};

extern const Wrapper kWrappers[];  // generated

}  // namespace waitprof

extern "C" const waitprof::Backend waitprof_backend;

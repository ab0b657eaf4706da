// Stack -> call path id. A call path is a node of a process-wide tree of return addresses; ids are dense,
// start at 1 and never change. Looking up a known path neither allocates nor locks.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

#include "libwaitprof/callpath/caller.hpp"  // IWYU pragma: export

namespace waitprof {

struct CallPathNode {
  std::uint32_t parent = 0;    // 0: outermost
  std::uintptr_t address = 0;  // as unwound: a return address, unless `exact`
  bool exact = false;          // true: `address` is the instruction itself (leaf of a sample)
};

// Loads libunwind (dlopen, RTLD_LOCAL) and warms it up; false: no call paths (said once). Called once, at
// MPI_Init.
bool start_call_paths(int depth_limit) noexcept;

// Lets libunwind make its per-thread tables now: in a signal handler it would call malloc. Called before a
// thread is sampled.
void prepare_call_paths_of_thread() noexcept;

// Frees the memory of the calling thread's paths. Called when the thread ends.
void forget_call_paths_of_thread() noexcept;

// The path of the application code that called the wrapper: `caller` is WAITPROF_CALLER in the wrapper. 0 if
// it cannot be known.
std::uint32_t call_path_of_caller(const Caller& caller) noexcept;

// The same in a handler of a signal that came while the wrapper waits for what it calls. False: it is no longer on the
// stack, the program has left it by longjmp.
bool call_path_in_handler(const Caller& caller, std::uint32_t& path) noexcept;

// The same for code interrupted by a signal (async-signal-safe). `context` is the handler's ucontext_t; to be
// called from the handler itself, whose frames are cut.
std::uint32_t call_path_of_sample(const void* context) noexcept;

std::uint32_t call_path_count() noexcept;  // nodes, ids 1..count (a few may be unused duplicates)
CallPathNode call_path_node(std::uint32_t id) noexcept;
std::uint64_t truncated_call_paths() noexcept;  // deeper than the limit: innermost frames kept
std::uint64_t lost_call_paths() noexcept;       // how often a path was not found because the tree was full

}  // namespace waitprof

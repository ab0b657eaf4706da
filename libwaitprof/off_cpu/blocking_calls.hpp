// The functions of the C library in which a program may have to wait: calls of them by the program and its
// libraries pass through watched_call.hpp.
//
// Not by exporting their names: then every process that has us preloaded would go through us, shells and launchers
// too, from its first instruction on and in children between vfork and exec. Instead the tables by which the objects
// of this process call them are pointed here once recording has begun (callpath/import_table.hpp); what is bound to
// another tool's function, and what comes by dlopen later, is left alone, and what it waits for has no name.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

namespace waitprof {

enum class TeamWait : std::uint32_t {
#define CALL(...)
#define CALL_WITH_MODE(...)
#define CALL_FORMATTED(...)
#define TEAM_WAIT(name, words) name,
#include "libwaitprof/schema/blocking_calls.inc"  // NOLINT(bugprone-suspicious-include)
};

// What CallWatch knows it by.
std::uint32_t function_of(TeamWait wait) noexcept;

// From now on, for good. Once per process.
void watch_blocking_calls() noexcept;

// For other rooms that watch calls of a library in the same way: its function of that name, unless another tool has put
// one of its own before it; nullptr: neither.
void* unreplaced_function(void* library, const char* name) noexcept;
// Of MPI, of the dynamic linker, of the C library: their own calls are left alone.
bool is_left_alone(const char* library) noexcept;

const char* name_of_blocking_call(std::uint32_t function) noexcept;

// Not where a seccomp filter may kill the process for a system call that it does not make itself.
bool descriptors_may_be_named() noexcept;

}  // namespace waitprof

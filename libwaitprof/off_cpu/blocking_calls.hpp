// The functions of the C library in which a program may have to wait: calls of them by the program and its
// libraries pass through watched_call.hpp.
//
// We do not export their names: then every process with the preloaded library, shells and launchers included,
// would go through us, from its first instruction on and in children between vfork and exec. Instead, once
// recording has begun, the tables by which the objects of this process call these functions are pointed here
// (callpath/import_table.hpp), also of those that come later (late_libraries.hpp). Functions that are bound to another
// tool are left alone: their waits have no name.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string_view>

#include "libwaitprof/callpath/import_table.hpp"

namespace waitprof {

enum class TeamWait : std::uint32_t {
#define CALL(...)
#define CALL_WITHOUT_RESULT(...)
#define CALL_WITH_LAST(...)
#define CALL_FORMATTED(...)
#define CALL_BY_NUMBER(...)
#define TEAM_WAIT(name, words) name,
#include "libwaitprof/schema/blocking_calls.inc"  // NOLINT(bugprone-suspicious-include)
};

constexpr bool is_for_one_thread(TeamWait wait) noexcept {
  return wait == TeamWait::Join || wait == TeamWait::Lock || wait == TeamWait::Critical;
}

// What CallWatch knows it by.
std::uint32_t function_of(TeamWait wait) noexcept;

// The same all the time in one process.
enum class Watched : std::uint8_t { All, ThreadsOnly };  // that wait for other threads, and that wake them

// To be replaced, for good. Not called by two threads at the same time.
ImportReplacements imports_of_blocking_calls(Watched what) noexcept;

// As users know it.
std::string_view name_of_blocking_call(std::uint32_t function) noexcept;

// False if a seccomp filter may kill the process for a system call that it does not make itself.
bool descriptors_may_be_named() noexcept;

}  // namespace waitprof

// Explicit tasks of GCC's OpenMP run time, wrapped so that their time is known: the function that libgomp executes is
// ours, its data ours in front of the program's. libgomp copies both as one, and knows neither.
//
//   fn(data)              ->  execute_task(block)        block: | start, end, ... | fn, team | padding | data |
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>

#include "libwaitprof/openmp/team.hpp"

namespace waitprof {

using TaskFunction = void (*)(void*);
using CopyTask = void (*)(void* to, void* from);

struct TaskHead {
  // A task of a taskloop is told its part of the loop in the first two, and looks for its reductions in the third.
  std::uintptr_t words[3] = {0, 0, 0};
  TaskFunction function = nullptr;
  CopyTask copy = nullptr;  // nullptr: bytes
  void* data = nullptr;     // of who made it; for `copy`
  Team* team = nullptr;
  std::uint64_t team_id = 0;
  std::uint32_t phase = 0;  // of the team, in which it was made
  std::size_t offset = 0;   // of the data behind this
  bool of_loop = false;
};

struct TaskLayout {
  std::size_t offset, bytes, align;
};
constexpr TaskLayout layout_of_task(std::size_t bytes, std::size_t align) noexcept {
  align = align < alignof(TaskHead) ? alignof(TaskHead) : align;
  const std::size_t offset = (sizeof(TaskHead) + align - 1) / align * align;
  return {offset, offset + bytes, align};
}

// `block` has room for it, and is as aligned.
void fill_task(void* block, const TaskLayout& layout, const TaskHead& head, std::size_t bytes) noexcept;
void execute_task(void* block);
void copy_task(void* to, void* from);

}  // namespace waitprof

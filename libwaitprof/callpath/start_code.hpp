// The code that calls main() or a thread's function: the outermost frames, which say nothing about the
// program.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

namespace waitprof {

struct CodeRange {
  std::uintptr_t begin = 0, end = 0;
  bool holds(std::uintptr_t address) const noexcept { return address - begin < end - begin; }
  bool empty() const noexcept { return begin == end; }
};

// The loaded object with this code in it; empty if there is none.
CodeRange object_around(const void* code) noexcept;

// The code of an MPI library that starts the program itself, in its own process; empty if it does not.
CodeRange code_of_launcher() noexcept;

struct StartCode {
  CodeRange entry;  // the very first function, of the executable
  CodeRange c_library, launcher;
  int frames = 0;  // the most of them on one stack

  bool holds(std::uintptr_t address) const noexcept {
    return c_library.holds(address) || launcher.holds(address);
  }
};

StartCode find_start_code() noexcept;

inline constexpr int kMostStartFrames = 16;

}  // namespace waitprof

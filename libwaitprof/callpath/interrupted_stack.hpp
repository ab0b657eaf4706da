// The stack of code that a signal has interrupted, walked by the unwind tables alone: in any thread, however
// small the stack of the handler is.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <ucontext.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "libwaitprof/callpath/path_tree.hpp"
#include "libwaitprof/callpath/stack_words.hpp"
#include "libwaitprof/callpath/start_code.hpp"

namespace waitprof {

inline constexpr std::size_t kMostInterruptedFrames = kMostPathFrames + kMostStartFrames;

// Too large for a handler's stack.
struct InterruptedStack {
  std::array<void*, kMostInterruptedFrames> frames;  // the interrupted instruction, then return addresses
  std::size_t count = 0;
  bool complete = false;  // up to the outermost frame; else up to the first frame without an unwind table
  StackWords words;       // that were read by the walk
};

// `context` is what the handler was given. Neither locks nor allocates; 1 KiB of stack is enough.
void walk_interrupted(const ucontext_t& context, InterruptedStack& stack) noexcept;

// The call path of such a walk, see call_paths.hpp. 0 if it cannot be known.
std::uint32_t call_path_of_walk(std::span<void* const> frames, bool complete) noexcept;

// An address in the function that the thread began with, given such a walk to the outermost frame. 0: without
// the start code of the C library no frame is left.
std::uintptr_t thread_function_of_walk(std::span<void* const> frames) noexcept;

}  // namespace waitprof

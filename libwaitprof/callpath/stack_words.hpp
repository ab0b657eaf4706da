// The words of the stack that a walk depends on.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "libwaitprof/callpath/caller.hpp"
#include "libwaitprof/callpath/path_tree.hpp"

namespace waitprof {

struct StackWord {
  const std::uintptr_t* place = nullptr;
  std::uintptr_t value = 0;
};

struct StackWords {
  static constexpr std::size_t kMost = 2 * kMostPathFrames;

  std::array<StackWord, kMost> words;  // in the order in which a walk reads them
  std::size_t count = 0;
  bool unloadable = false;  // some of the code on the path may be unloaded
};

// Walks up the stack by the unwind tables alone. True: they lead to exactly the return addresses of `stack`
// (innermost first, from the caller on; `complete`: and to no others), and `words` holds all words that were
// read. `frame_pointer` is where Caller::frame_pointer is kept in memory.
bool explain_walk(const Caller& caller, const std::uintptr_t* frame_pointer, std::span<void* const> stack,
                  bool complete, StackWords& words) noexcept;

}  // namespace waitprof

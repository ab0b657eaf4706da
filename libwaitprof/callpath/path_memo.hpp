// Call paths of one thread that were walked before, recognised without a walk.
//
// A walk up the stack is a function of the code and of the few words that it reads: return addresses, and
// saved frame pointers where a frame's size depends on them. Where all those words are what they were, a walk
// would take the same steps: the path is the same. So the words are kept, in the order in which the walk read
// them, as a tree: where a word differs, the walk continues in another branch.
//
//   (frame, return address) -> word at A is 1 -> word at B is 2 -> word at C is 3: path 17
//                                           \ -> word at B is 7 -> word at D is 4: path 18
//
// Reading is as safe as the walk was: every word that agrees proves that the next one is still part of the
// stack. Nothing is written to the application's stack. code_generation() takes care of code that was
// exchanged (dlclose, dlopen).
//
// Prior art: Froyd, Mellor-Crummey, Fowler, "Low-overhead call path profiling of unmodified, optimized code",
// ICS 2005, marks the stack instead.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <span>

#include "libwaitprof/callpath/caller.hpp"

namespace waitprof {

struct RememberedPath {
  std::uint32_t id = 0;    // 0: not known
  bool truncated = false;  // deeper than the limit
};

// The remembered path of the calling thread's stack, from the caller on, if there is one.
RememberedPath remembered_path(const Caller& caller) noexcept;

// `stack` is what a full walk found from the caller on, innermost first; `complete`: to the outermost frame.
// The path is remembered when it is reported for the second time, if the unwind tables explain the walk.
void remember_path(const Caller& caller, std::span<void* const> stack, bool complete,
                   const RememberedPath& path) noexcept;

// What the calling thread remembers, in memory of its own; nullptr: nothing yet.
extern constinit thread_local void* this_memo __asm__("waitprof_this_memo")
    __attribute__((visibility("default")));

// Gives back the calling thread's memory.
void forget_remembered_paths() noexcept;

struct PathMemoCounts {
  std::uint64_t hits = 0, misses = 0, remembered = 0, not_explained = 0;
  std::uint64_t cleared = 0;  // full, or code was unloaded: all was forgotten
};
PathMemoCounts path_memo_counts() noexcept;  // of the calling thread

}  // namespace waitprof

// The regions one thread is inside of, innermost last. Bounded: what goes deeper is counted as open but not
// known. Plain data without constructor work, so that it can be a thread-local object of every thread of the
// application.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <atomic>
#include <cstdint>

namespace waitprof {

// What is open, by the application's own key: no table is touched while nothing is recorded.
struct OpenRegion {
  std::uintptr_t key : 62;  // a function's address, or the id of a named region; its name while early
  std::uintptr_t is_function : 1;
  std::uintptr_t written : 1;  // its Enter is in the event buffer
  bool same(const OpenRegion& other) const noexcept {
    return key == other.key && is_function == other.is_function;
  }
};

struct RegionStack {
  static constexpr std::uint32_t kDepth = 256;
  static constexpr std::uint32_t kNotFound = ~std::uint32_t{0};

  OpenRegion open[kDepth];
  std::uint32_t depth;      // known open regions
  std::uint32_t deeper;     // open beyond kDepth
  std::uint32_t functions;  // of the known ones
  bool early;               // no backend was there yet to give names their ids

  // False: too deep, counted only.
  bool push(OpenRegion region) noexcept {
    if (depth == kDepth || deeper > 0) {
      ++deeper;
      return false;
    }
    // The place is taken before it is filled: a signal handler of the application may push and pop in
    // between.
    const std::uint32_t place = depth++;
    std::atomic_signal_fence(std::memory_order_seq_cst);
    open[place] = region;
    functions += region.is_function;
    return true;
  }

  // Where the innermost open region of this kind and key is. Usually on top; below it when inner regions were
  // left without saying so (longjmp, exceptions through code that does not tell).
  std::uint32_t find(const OpenRegion& region) const noexcept {
    for (std::uint32_t i = depth; i-- > 0;)
      if (open[i].same(region)) return i;
    return kNotFound;
  }

  // Forgets the known ones for which it holds. What a signal handler of the application opens meanwhile, it
  // closes meanwhile.
  template <typename Condition>
  void remove_if(const Condition& condition) noexcept {
    std::uint32_t kept = 0;
    for (std::uint32_t i = 0; i < depth; ++i) {
      const OpenRegion region = open[i];
      if (condition(region)) {
        functions -= region.is_function;
      } else {
        open[kept++] = region;
      }
    }
    depth = kept;
  }

  OpenRegion pop() noexcept {
    const OpenRegion region = open[--depth];
    functions -= region.is_function;
    return region;
  }
};

extern constinit thread_local RegionStack this_stack __asm__("waitprof_this_stack")
    __attribute__((visibility("default")));

}  // namespace waitprof

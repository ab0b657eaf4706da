// The regions that one thread is inside of, innermost last. Bounded: deeper regions are counted as open, but
// not known. Plain data without constructor work, so that it can be a thread-local object of every thread of
// the application.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <atomic>
#include <cstdint>

namespace waitprof {

// An open region, by the application's own key: no table is touched while nothing is recorded.
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
  bool early;               // no backend was loaded yet to give names their ids

  // False: the stack is full; the region is only counted.
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

  // Position of the innermost open region of this kind and key. Usually it is on top; below that when inner
  // regions were left without a call to us (longjmp, exceptions through uninstrumented code).
  std::uint32_t find(const OpenRegion& region) const noexcept {
    for (std::uint32_t i = depth; i-- > 0;)
      if (open[i].same(region)) return i;
    return kNotFound;
  }

  // Removes the known regions for which the condition holds. A signal handler of the application that opens
  // regions meanwhile also closes them meanwhile.
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

// At most so many in a second, of all threads together.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <atomic>
#include <cstdint>

namespace waitprof {

template <std::uint64_t kMost>
class RateLimit {
 public:
  // False: there were too many within that second (`time` in ns).
  bool takes(std::uint64_t time) noexcept {
    constexpr std::uint64_t kSecond = 1'000'000'000;
    const std::uint64_t present = time / kSecond;
    if (second_.exchange(present) != present) taken_.store(0);
    return taken_.fetch_add(1) < kMost;
  }

 private:
  std::atomic<std::uint64_t> second_{0}, taken_{0};
};

}  // namespace waitprof

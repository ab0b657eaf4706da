// Causes that ranks run in turn: what a rank ran longer than the one that waits for it, that one still has to run. None
// takes longer than another. What such a cause costs is that they do not run it at the same time.
//
//   rank 0  write | send
//   rank 1  receive .... | write | send
//   rank 2  receive ................... | write
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdint>
#include <vector>

namespace waitdiag {

class Turns {
 public:
  explicit Turns(std::size_t causes) : sums_(causes), taken_(causes) {}

  // Waits that tell whether there are turns: all of few, blocks of many from all over the run.
  static std::vector<std::uint32_t> enough_of(const std::vector<std::uint32_t>& order) {
    constexpr std::size_t kBlocks = 16, kOfBlock = 1024;
    if (order.size() <= kBlocks * kOfBlock) return order;
    std::vector<std::uint32_t> some;
    for (std::size_t block = 0; block < kBlocks; ++block) {
      const auto first =
          order.begin() + static_cast<std::ptrdiff_t>(block * (order.size() - kOfBlock) / (kBlocks - 1));
      some.insert(some.end(), first, first + kOfBlock);
    }
    return some;
  }
  // Of a wait: how much longer than its victim the late one ran the cause, and what is left of that as the victim still
  // has to run it. From several threads; whole numbers, so that their order does not matter.
  // Nothing once they were found.
  void add(std::size_t cause, double longer, double left) {
    if (found_) return;
    sums_[cause].longer += std::llround(longer);
    sums_[cause].left += std::llround(std::max(0.0, left));
  }
  // Which causes ranks run in turn. Are there any?
  bool find() {
    constexpr std::int64_t kNearlyNothing = 20;  // one part in so many
    bool any = false;
    found_ = true;
    for (std::size_t i = 0; i < taken_.size(); ++i) {
      taken_[i] = sums_[i].longer > 0 && kNearlyNothing * sums_[i].left < sums_[i].longer ? 1 : 0;
      any = any || taken_[i] != 0;
    }
    return any;
  }
  // Before find(): none.
  bool taken(std::size_t cause) const { return taken_[cause] != 0; }

 private:
  struct Sums {
    std::atomic<std::int64_t> longer = 0, left = 0;  // ns
  };
  std::vector<Sums> sums_;  // by cause
  bool found_ = false;
  std::vector<std::uint8_t> taken_;  // not bits: they are read side by side
};

}  // namespace waitdiag

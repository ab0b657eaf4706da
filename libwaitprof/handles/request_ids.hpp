// Numbers of the requests of one thread that may be given out again: those whose completion this thread has
// recorded. So programs that repeat themselves repeat their records, and a number takes one byte of the
//trace.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstdint>

namespace waitprof {

// Oldest first. Ids that do not fit are not given out again.
class FreeRequestIds {
 public:
  void add(std::uint32_t id) noexcept {
    if (added_ - taken_ < ids_.size()) {
      ids_[added_++ % ids_.size()] = id;
    }
  }
  bool empty() const noexcept { return added_ == taken_; }
  std::uint32_t take() noexcept { return ids_[taken_++ % ids_.size()]; }

 private:
  std::array<std::uint32_t, 256> ids_{};
  std::uint32_t added_ = 0, taken_ = 0;
};

}  // namespace waitprof

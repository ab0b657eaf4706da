// Numbers of the requests of one thread that may be given out again: those whose completion this thread has
// recorded. The lowest is next, by the last digits: programs that repeat themselves repeat their records,
// whatever they did before, and a number takes one byte of the trace.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstdint>

namespace waitprof {

// Those that do not fit are not given out again.
class FreeRequestIds {
 public:
  void add(std::uint32_t id) noexcept {
    const std::uint32_t place = id % kPlaces;
    std::uint64_t& word = free_[place / kBits];
    const std::uint64_t bit = std::uint64_t{1} << place % kBits;
    if ((word & bit) == 0) {
      word |= bit;
      any_ |= 1U << place / kBits;
      ids_[place] = id;
    }
  }
  bool empty() const noexcept { return any_ == 0; }
  std::uint32_t take() noexcept {
    const auto number = static_cast<std::uint32_t>(__builtin_ctz(any_));
    std::uint64_t& word = free_[number];
    const std::uint32_t place = number * kBits + static_cast<std::uint32_t>(__builtin_ctzll(word));
    word &= word - 1;
    any_ &= ~(std::uint32_t{word == 0} << number);
    return ids_[place];
  }

 private:
  static constexpr std::uint32_t kPlaces = 512, kBits = 64;

  std::array<std::uint64_t, kPlaces / kBits> free_{};
  std::uint32_t any_ = 0;  // by word: it is not zero
  std::array<std::uint32_t, kPlaces> ids_{};
};

}  // namespace waitprof

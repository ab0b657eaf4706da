// A set of small numbers that knows how many of them lie before any number: so an array of values for a few
// places among many needs entries only for those.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "analyzer/trace/model/fetch.hpp"

namespace waitdiag {

class RankedBits {
 public:
  // A set of numbers below `size`, empty so far.
  explicit RankedBits(std::size_t size = 0) : words_(size / kBits + 1), size_(size) {}

  // Appends one more number, in the set or not; close() is not needed.
  void append(bool in_set) {
    words_.back().bits |= std::uint32_t{in_set} << size_ % kBits;
    count_ += in_set ? 1 : 0;
    if (++size_ % kBits == 0) words_.push_back({.bits = 0, .before = static_cast<std::uint32_t>(count_)});
  }
  // Keeps only numbers below `size`.
  void keep(std::size_t size) {
    count_ = before(size);
    words_.resize(size / kBits + 1);
    words_.back().bits &= bit(size) - 1;
    size_ = size;
  }
  void reserve(std::size_t size) { words_.reserve(size / kBits + 1); }
  std::size_t size() const { return size_; }

  void set(std::size_t number) { words_[number / kBits].bits |= bit(number); }
  void close() {  // no more numbers will be set
    std::uint32_t before = 0;
    for (Word& word : words_) {
      word.before = before;
      before += ones(word.bits);
    }
    count_ = before;
  }

  // This number will be asked for soon.
  void expect(std::size_t number) const { fetch(&words_[number / kBits]); }

  bool operator[](std::size_t number) const { return (words_[number / kBits].bits & bit(number)) != 0; }
  std::size_t count() const { return count_; }
  // How many lie below `number`, which may be the size.
  std::size_t before(std::size_t number) const {
    const Word& word = words_[number / kBits];
    return word.before + ones(word.bits & (bit(number) - 1));
  }

 private:
  static constexpr std::size_t kBits = 32;
  struct Word {
    std::uint32_t bits = 0, before = 0;
  };
  static constexpr std::uint32_t bit(std::size_t number) { return std::uint32_t{1} << number % kBits; }
  // std::popcount is a call into a library where not all processors that are compiled for count bits.
  static constexpr std::uint32_t ones(std::uint32_t bits) {
    bits -= bits >> 1 & 0x55555555u;
    bits = (bits & 0x33333333u) + (bits >> 2 & 0x33333333u);
    return ((bits + (bits >> 4)) & 0x0f0f0f0fu) * 0x01010101u >> 24;
  }

  std::vector<Word> words_;
  std::size_t size_ = 0, count_ = 0;
};

}  // namespace waitdiag

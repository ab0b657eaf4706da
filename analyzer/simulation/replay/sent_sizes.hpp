// How many messages of about which size a replay sends, those of collective operations included: by quarters of doublings.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

namespace waitdiag {

class SentSizes {
 public:
  struct Class {
    std::uint64_t messages = 0, least = UINT64_MAX, most = 0;  // bytes of any of them
  };
  void add(std::uint64_t bytes) { add(classes_[class_of(bytes)], {1, bytes, bytes}); }
  void add(const SentSizes& others) {
    for (std::size_t c = 0; c < kClasses; ++c) add(classes_[c], others.classes_[c]);
  }
  const Class& operator[](std::size_t number) const { return classes_[number]; }

  static constexpr std::size_t kParts = 4, kClasses = 65 * kParts;
  static std::size_t class_of(std::uint64_t bytes) {
    const auto digits = static_cast<std::size_t>(std::bit_width(bytes));
    return kParts * digits + (digits < 3 ? bytes << (3 - digits) : bytes >> (digits - 3)) % kParts;
  }
  // The smallest size of a class, or more than that.
  static std::uint64_t least_of(std::size_t number) {
    const std::size_t digits = number / kParts, quarters = kParts + number % kParts;
    return digits < 3 ? ((quarters << digits) + 7) >> 3 : std::uint64_t{quarters} << (digits - 3);
  }

 private:
  static void add(Class& to, const Class& from) {
    to.messages += from.messages;
    to.least = std::min(to.least, from.least);
    to.most = std::max(to.most, from.most);
  }
  std::array<Class, kClasses> classes_{};
};

}  // namespace waitdiag

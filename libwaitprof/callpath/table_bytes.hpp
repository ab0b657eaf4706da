// Reads the numbers of an unwind table one after the other.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace waitprof {

class TableBytes {
 public:
  explicit TableBytes(const std::uint8_t* position) noexcept : position_(position) {}

  const std::uint8_t* position() const noexcept { return position_; }
  void skip(std::uint64_t bytes) noexcept { position_ += bytes; }
  std::uint8_t byte() noexcept { return *position_++; }

  template <typename Number>
  Number value() noexcept {
    Number number;
    std::memcpy(&number, position_, sizeof number);
    position_ += sizeof number;
    return number;
  }

  // LEB128 (DWARF 5, section 7.6)
  std::uint64_t unsigned_number() noexcept {
    int shift = 0;
    return groups_of_seven(shift);
  }
  std::int64_t signed_number() noexcept {
    int shift = 0;
    const std::uint64_t number = groups_of_seven(shift);
    const bool negative = shift < 64 && (position_[-1] & 0x40) != 0;
    return static_cast<std::int64_t>(negative ? number | ~std::uint64_t{0} << shift : number);
  }

  const char* text() noexcept {
    const auto* const begin = reinterpret_cast<const char*>(position_);
    position_ += std::strlen(begin) + 1;
    return begin;
  }

 private:
  std::uint64_t groups_of_seven(int& shift) noexcept {
    std::uint64_t number = 0;
    for (std::uint8_t group = 0x80; (group & 0x80) != 0 && shift < 64; shift += 7) {
      group = byte();
      number |= std::uint64_t{group & 0x7fU} << shift;
    }
    return number;
  }

  const std::uint8_t* position_;
};

}  // namespace waitprof

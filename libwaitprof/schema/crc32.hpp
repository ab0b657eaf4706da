// CRC-32 as in gzip. Where the processor can multiply polynomials (PCLMULQDQ), sixteen bytes take about as
// long as one byte does without it: the checksum of a recorded file adds next to nothing to the cost of
// recording.
//
// A message is a polynomial over GF(2), its CRC the remainder by kPolynomial. Four lanes of 128 bits each
// stand for all that was read so far. Bytes that lie D bits before others count as if multiplied by x^D, and
// the remainder of x^D is a constant (Gopal et al., "Fast CRC Computation for Generic Polynomials Using
// PCLMULQDQ", Intel 2009).
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace waitprof::schema {

namespace detail {

// Bits are reversed compared with textbooks: the highest one is x^0.
inline constexpr std::uint32_t kPolynomial = 0xedb88320;

constexpr std::uint32_t times_x(std::uint32_t rest) {
  return (rest & 1) != 0 ? kPolynomial ^ rest >> 1 : rest >> 1;
}

using CrcTables = std::array<std::array<std::uint32_t, 256>, 8>;  // [n]: a byte followed by n others

constexpr CrcTables crc_tables() {
  CrcTables tables{};
  for (std::uint32_t byte = 0; byte < 256; ++byte) {
    std::uint32_t rest = byte;
    for (int bit = 0; bit < 8; ++bit) {
      rest = times_x(rest);
    }
    tables[0][byte] = rest;
  }
  for (std::size_t n = 1; n < tables.size(); ++n) {
    for (std::size_t byte = 0; byte < 256; ++byte) {
      const std::uint32_t before = tables[n - 1][byte];
      tables[n][byte] = tables[0][before & 0xff] ^ before >> 8;
    }
  }
  return tables;
}
inline constexpr CrcTables kCrcTables = crc_tables();

inline std::uint32_t little_endian(std::uint32_t value) noexcept {
  return std::endian::native == std::endian::little ? value : __builtin_bswap32(value);
}

// Eight bytes at a time.
inline std::uint32_t crc_by_tables(std::uint32_t rest, const unsigned char* data,
                                   std::size_t bytes) noexcept {
  for (; bytes >= 8; data += 8, bytes -= 8) {
    std::uint32_t low = 0, high = 0;
    std::memcpy(&low, data, 4);
    std::memcpy(&high, data + 4, 4);
    low = little_endian(low) ^ rest;
    high = little_endian(high);
    rest = kCrcTables[7][low & 0xff] ^ kCrcTables[6][low >> 8 & 0xff] ^ kCrcTables[5][low >> 16 & 0xff] ^
           kCrcTables[4][low >> 24] ^ kCrcTables[3][high & 0xff] ^ kCrcTables[2][high >> 8 & 0xff] ^
           kCrcTables[1][high >> 16 & 0xff] ^ kCrcTables[0][high >> 24];
  }
  for (; bytes > 0; ++data, --bytes) {
    rest = kCrcTables[0][(rest ^ *data) & 0xff] ^ rest >> 8;
  }
  return rest;
}

// The fewest bytes that crc_by_products() can take; it leaves fewer than that for the tables.
inline constexpr std::size_t kLane = 16, kLanes = 4, kFewestForProducts = kLanes * kLane;

#if defined(__x86_64__)

inline bool has_products() noexcept {
  return __builtin_cpu_supports("pclmul") != 0;
}

// x^power, shifted by one place: a product of two reversed numbers is one place short.
constexpr std::int64_t power_of_x(int power) {
  std::uint32_t rest = 0x80000000;
  for (; power > 0; --power) {
    rest = times_x(rest);
  }
  return std::int64_t{rest} << 1;
}

// `lane` multiplied by x^kBits, to where `next` is, plus `next`.
template <int kBits>
[[gnu::target("pclmul"), gnu::always_inline]] inline __m128i folded(__m128i lane, __m128i next) noexcept {
  constexpr int kHalfOfProduct = 32, kLow = 0x00, kHigh = 0x11;
  const __m128i powers =
      _mm_set_epi64x(power_of_x(kBits - kHalfOfProduct), power_of_x(kBits + kHalfOfProduct));
  const __m128i low = _mm_clmulepi64_si128(lane, powers, kLow);
  return _mm_xor_si128(_mm_xor_si128(low, _mm_clmulepi64_si128(lane, powers, kHigh)), next);
}

[[gnu::target("pclmul")]] inline std::uint32_t crc_by_products(std::uint32_t rest, const unsigned char* data,
                                                               std::size_t bytes) noexcept {
  constexpr int kLaneBits = 8 * kLane, kAllBits = kLanes * kLaneBits;
  const auto lane_at = [](const unsigned char* at) {
    return _mm_loadu_si128(reinterpret_cast<const __m128i*>(at));
  };
  __m128i lanes[kLanes];
  for (std::size_t i = 0; i < kLanes; ++i) {
    lanes[i] = lane_at(data + i * kLane);
  }
  lanes[0] = _mm_xor_si128(lanes[0], _mm_cvtsi32_si128(static_cast<int>(rest)));
  const unsigned char* at = data + kFewestForProducts;
  for (bytes -= kFewestForProducts; bytes >= kFewestForProducts; bytes -= kFewestForProducts) {
    for (std::size_t i = 0; i < kLanes; ++i, at += kLane) {
      lanes[i] = folded<kAllBits>(lanes[i], lane_at(at));
    }
  }
  __m128i all = lanes[0];
  for (std::size_t i = 1; i < kLanes; ++i) {
    all = folded<kLaneBits>(all, lanes[i]);
  }
  unsigned char last[kLane];
  _mm_storeu_si128(reinterpret_cast<__m128i*>(last), all);
  return crc_by_tables(crc_by_tables(0, last, kLane), at, bytes);
}

#else

inline bool has_products() noexcept {
  return false;
}
inline std::uint32_t crc_by_products(std::uint32_t rest, const unsigned char* data,
                                     std::size_t bytes) noexcept {
  return crc_by_tables(rest, data, bytes);
}

#endif

}  // namespace detail

class Crc32 {
 public:
  void add(const unsigned char* data, std::size_t bytes) noexcept {
    rest_ = bytes >= detail::kFewestForProducts && detail::has_products()
                ? detail::crc_by_products(rest_, data, bytes)
                : detail::crc_by_tables(rest_, data, bytes);
  }
  std::uint32_t value() const noexcept { return ~rest_; }

 private:
  std::uint32_t rest_ = ~std::uint32_t{0};
};

}  // namespace waitprof::schema

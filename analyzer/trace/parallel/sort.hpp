// Sorting on all cores.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <vector>

#include "analyzer/trace/parallel/parallel.hpp"

namespace waitdiag {

// A number, and what it is sorted by. There are many of them, so they take 12 bytes.
class KeyedNumber {
 public:
  KeyedNumber() = default;
  KeyedNumber(std::int64_t key, std::uint32_t number)
      : number_(number), key_(std::bit_cast<std::array<std::uint32_t, 2>>(key)) {}
  std::uint32_t number() const { return number_; }
  std::int64_t key() const { return std::bit_cast<std::int64_t>(key_); }

 private:
  std::uint32_t number_ = 0;
  std::array<std::uint32_t, 2> key_{};
};

// The key of a number that is left out.
constexpr std::int64_t kLeftOut = std::numeric_limits<std::int64_t>::min();

// The numbers below `count` in the order of key_of(number), and where that is equal, of less(number, number), which
// must order any two. They are dealt out by key first, so that those that are sorted together are few. expect(number):
// less() will be asked about it soon.
template <typename KeyOf, typename Less, typename Expect>
std::vector<KeyedNumber> sorted_in_parallel(std::size_t count, const KeyOf& key_of, const Less& less,
                                            const Expect& expect) {
  constexpr std::size_t kPieces = 64, kFewest = std::size_t{1} << 12, kTogether = 256;
  struct Piece {
    std::int64_t lowest = std::numeric_limits<std::int64_t>::max();
    std::int64_t highest = std::numeric_limits<std::int64_t>::min();
    std::size_t kept = 0;
    std::vector<std::uint32_t> next{};  // by bucket: how many, and then the place of the next one
  };
  const std::size_t size = std::max(kFewest, (count + kPieces - 1) / kPieces);
  std::vector<Piece> pieces((count + size - 1) / size);
  const auto keys = std::make_unique_for_overwrite<std::int64_t[]>(count);
  for_each_block(
      count,
      [&](std::size_t first, std::size_t last) {
        Piece& piece = pieces[first / size];
        for (std::size_t i = first; i < last; ++i) {
          keys[i] = key_of(static_cast<std::uint32_t>(i));
          if (keys[i] == kLeftOut) continue;
          piece.lowest = std::min(piece.lowest, keys[i]);
          piece.highest = std::max(piece.highest, keys[i]);
          ++piece.kept;
        }
      },
      size);
  Piece all;
  for (const Piece& piece : pieces) {
    all.lowest = std::min(all.lowest, piece.lowest);
    all.highest = std::max(all.highest, piece.highest);
    all.kept += piece.kept;
  }
  if (all.kept == 0) return {};

  const auto behind_lowest = [&](std::int64_t key) {
    return static_cast<std::uint64_t>(key) - static_cast<std::uint64_t>(all.lowest);
  };
  const std::uint64_t range = behind_lowest(all.highest);
  const int shift = std::max(0, static_cast<int>(std::bit_width(range)) -
                                    static_cast<int>(std::bit_width(1 + all.kept / kTogether)));
  const auto for_each_kept = [&](const auto& visit) {
    for_each_block(
        count,
        [&](std::size_t first, std::size_t last) {
          for (std::size_t i = first; i < last; ++i)
            if (keys[i] != kLeftOut) visit(pieces[first / size], static_cast<std::uint32_t>(i));
        },
        size);
  };
  const auto bucket_of = [&](std::int64_t key) { return behind_lowest(key) >> shift; };
  const std::size_t buckets = static_cast<std::size_t>(range >> shift) + 1;
  for (Piece& piece : pieces) piece.next.resize(buckets);
  for_each_kept([&](Piece& piece, std::uint32_t i) { ++piece.next[bucket_of(keys[i])]; });
  std::vector<std::uint32_t> begins(buckets + 1);
  std::uint32_t place = 0;
  for (std::size_t bucket = 0; bucket < buckets; ++bucket) {
    begins[bucket] = place;
    for (Piece& piece : pieces) {
      const std::uint32_t here = piece.next[bucket];
      piece.next[bucket] = place;
      place += here;
    }
  }
  begins[buckets] = place;

  std::vector<KeyedNumber> sorted(all.kept);
  for_each_kept([&](Piece& piece, std::uint32_t i) {
    sorted[piece.next[bucket_of(keys[i])]++] = {keys[i], i};
  });
  constexpr std::size_t kAtOnce = 4;
  for_each_block(
      buckets,
      [&](std::size_t first, std::size_t last) {
        for (std::size_t i = begins[first]; i < begins[last]; ++i) expect(sorted[i].number());
        for (std::size_t bucket = first; bucket < last; ++bucket)
          std::sort(sorted.data() + begins[bucket], sorted.data() + begins[bucket + 1],
                    [&](const KeyedNumber& a, const KeyedNumber& b) {
                      return a.key() != b.key() ? a.key() < b.key() : less(a.number(), b.number());
                    });
      },
      kAtOnce);
  return sorted;
}

// Without their keys.
inline std::vector<std::uint32_t> numbers_of(const std::vector<KeyedNumber>& keyed) {
  std::vector<std::uint32_t> numbers(keyed.size());
  for_each_block(keyed.size(), [&](std::size_t first, std::size_t last) {
    for (std::size_t i = first; i < last; ++i) numbers[i] = keyed[i].number();
  });
  return numbers;
}

}  // namespace waitdiag

// Sorting on all cores.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "analyzer/trace/parallel/parallel.hpp"

namespace waitdiag {

// `less` must order any two items: then there is only one result. `key`: a whole number of an item, which never
// falls in that order. Items are dealt out by it first, so that those that are sorted together are few.
template <typename Item, typename Key, typename Less>
void sort_in_parallel(std::vector<Item>& items, Key key, Less less) {
  constexpr std::size_t kWorthIt = std::size_t{1} << 12, kTogether = 256;
  if (items.size() < kWorthIt) return std::sort(items.begin(), items.end(), less);
  const auto [lowest, highest] = std::ranges::minmax_element(items, {}, key);
  const auto behind_lowest = [&, first = static_cast<std::uint64_t>(key(*lowest))](const Item& item) {
    return static_cast<std::uint64_t>(key(item)) - first;
  };
  const std::uint64_t range = behind_lowest(*highest);
  const int shift = std::max(0, static_cast<int>(std::bit_width(range)) -
                                    static_cast<int>(std::bit_width(items.size() / kTogether)));
  const std::size_t buckets = static_cast<std::size_t>(range >> shift) + 1;
  std::vector<std::size_t> begins(buckets + 1);
  for (const Item& item : items) ++begins[(behind_lowest(item) >> shift) + 1];
  for (std::size_t i = 0; i < buckets; ++i) begins[i + 1] += begins[i];
  // In place: there may be too many of them to have them twice.
  std::vector<std::size_t> next(begins.begin(), begins.end() - 1);
  for (std::size_t i = 0; i < buckets; ++i) {
    while (next[i] < begins[i + 1]) {
      Item item = items[next[i]];
      for (std::size_t bucket; (bucket = behind_lowest(item) >> shift) != i;)
        std::swap(item, items[next[bucket]++]);
      items[next[i]++] = item;
    }
  }
  const auto place = [&](std::size_t i) { return items.begin() + static_cast<std::ptrdiff_t>(begins[i]); };
  constexpr std::size_t kAtOnce = 16;
  for_each_block(
      buckets,
      [&](std::size_t first, std::size_t last) {
        for (std::size_t i = first; i < last; ++i) std::sort(place(i), place(i + 1), less);
      },
      kAtOnce);
}

}  // namespace waitdiag

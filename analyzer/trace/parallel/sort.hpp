// Sorting on all cores.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include "analyzer/trace/parallel/parallel.hpp"

namespace waitdiag {

// `less` must order any two items: then there is only one result.
template <typename Item, typename Less>
void sort_in_parallel(std::vector<Item>& items, Less less) {
  constexpr std::size_t kPieces = 16, kWorthIt = std::size_t{1} << 14;
  if (items.size() < kWorthIt) return std::sort(items.begin(), items.end(), less);
  const auto begin_of = [&](std::size_t piece) {
    return items.begin() + static_cast<std::ptrdiff_t>(items.size() * piece / kPieces);
  };
  for_each_index(kPieces, [&](std::size_t i) { std::sort(begin_of(i), begin_of(i + 1), less); });
  for (std::size_t sorted = 1; sorted < kPieces; sorted *= 2) {
    for_each_index(kPieces / (2 * sorted), [&](std::size_t i) {
      const std::size_t first = 2 * sorted * i;
      std::inplace_merge(begin_of(first), begin_of(first + sorted), begin_of(first + 2 * sorted), less);
    });
  }
}

}  // namespace waitdiag

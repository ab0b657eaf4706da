// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/trace/parallel/sort.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

namespace waitdiag {
namespace {

using Item = std::pair<std::int64_t, std::uint32_t>;  // key, number

std::vector<Item> sorted(std::vector<Item> items) {
  sort_in_parallel(
      items, [](const Item& item) { return item.first; }, [](const Item& a, const Item& b) { return a < b; });
  return items;
}

TEST(SortInParallel, ItemsWithFarAndEqualKeysHaveOneOrder) {
  std::vector<Item> items;
  for (std::uint32_t i = 0; i < 10'000; ++i)
    items.emplace_back(std::int64_t{i} * 7919 % 1000 - 500, 10'000 - i);
  std::vector<Item> expected = items;
  std::sort(expected.begin(), expected.end());
  EXPECT_EQ(sorted(items), expected);

  // Nearly all of them are dealt to one bucket.
  for (const std::int64_t far :
       {std::numeric_limits<std::int64_t>::min(), std::numeric_limits<std::int64_t>::max()})
    items.insert(items.begin() + 5'000, {far, 0});
  expected = items;
  std::sort(expected.begin(), expected.end());
  EXPECT_EQ(sorted(items), expected);
}

TEST(SortInParallel, OneKeyIsEnough) {
  std::vector<Item> items;
  for (std::uint32_t i = 0; i < 5'000; ++i) items.emplace_back(42, i * 7919 % 5'000);
  const std::vector<Item> result = sorted(items);
  for (std::uint32_t i = 0; i < result.size(); ++i) ASSERT_EQ(result[i].second, i);
}

}  // namespace
}  // namespace waitdiag

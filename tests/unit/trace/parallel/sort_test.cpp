// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/trace/parallel/sort.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <functional>
#include <limits>
#include <utility>
#include <vector>

namespace waitdiag {
namespace {

using Keys = std::vector<std::int64_t>;
using Items = std::vector<std::pair<std::int64_t, std::uint32_t>>;  // key, number

Items sorted(const Keys& keys) {
  Items items;
  for (const KeyedNumber& one : sorted_in_parallel(
           keys.size(), [&](std::uint32_t i) { return keys[i]; }, std::less<>(), [](std::uint32_t) {}))
    items.emplace_back(one.key(), one.number());
  return items;
}

Items expected(const Keys& keys) {
  Items items;
  for (std::uint32_t i = 0; i < keys.size(); ++i)
    if (keys[i] != kLeftOut) items.emplace_back(keys[i], i);
  std::sort(items.begin(), items.end());
  return items;
}

TEST(SortInParallel, FarAndEqualKeysHaveOneOrder) {
  Keys keys;
  for (std::int64_t i = 0; i < 10'000; ++i) keys.push_back(i * 7919 % 1000 - 500);
  EXPECT_EQ(sorted(keys), expected(keys));

  // Nearly all of them are dealt to one bucket.
  for (const std::int64_t far :
       {std::numeric_limits<std::int64_t>::min() + 1, std::numeric_limits<std::int64_t>::max()})
    keys.insert(keys.begin() + 5'000, far);
  EXPECT_EQ(sorted(keys), expected(keys));
}

TEST(SortInParallel, OneKeyIsEnough) {
  const Keys keys(5'000, 42);
  EXPECT_EQ(sorted(keys), expected(keys));
}

TEST(SortInParallel, TakesNoneAndFew) {
  EXPECT_EQ(sorted({}), Items());
  const Keys keys{std::numeric_limits<std::int64_t>::max(), std::numeric_limits<std::int64_t>::min() + 1, 3,
                  3};
  EXPECT_EQ(sorted(keys), expected(keys));
}

TEST(SortInParallel, WhatHasNoKeyIsLeftOut) {
  EXPECT_EQ(sorted(Keys(10, kLeftOut)), Items());
  Keys keys;
  for (std::int64_t i = 0; i < 100'000; ++i) keys.push_back(i % 3 == 0 ? kLeftOut : i * 7919 % 65'521);
  EXPECT_EQ(sorted(keys), expected(keys));
}

TEST(SortInParallel, AnyOrderAmongEqualKeys) {
  const auto sorted = sorted_in_parallel(
      5'000, [](std::uint32_t i) { return std::int64_t{i % 2}; }, std::greater<>(), [](std::uint32_t) {});
  const std::vector<std::uint32_t> numbers = numbers_of(sorted);
  ASSERT_EQ(numbers.size(), 5'000u);
  EXPECT_EQ(numbers.front(), 4'998u);
  EXPECT_EQ(numbers[2'499], 0u);
  EXPECT_EQ(numbers[2'500], 4'999u);
  EXPECT_EQ(numbers.back(), 1u);
}

}  // namespace
}  // namespace waitdiag

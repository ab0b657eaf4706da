// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/trace/memory/extents.hpp"

#include <gtest/gtest.h>

#include <iterator>
#include <map>
#include <random>

namespace waitdiag {
namespace {

TEST(Extents, PartsThatAreInUseNeverOverlap) {
  std::mt19937 random(1);
  Extents extents;
  std::map<std::uint64_t, std::uint64_t> used;
  for (int i = 0; i < 5000; ++i) {
    if (used.empty() || random() % 5 < 3) {
      const std::uint64_t bytes = 1 + random() % 64, place = extents.take(bytes);
      const auto behind = used.lower_bound(place);
      EXPECT_TRUE(behind == used.end() || place + bytes <= behind->first);
      EXPECT_TRUE(behind == used.begin() || std::prev(behind)->first + std::prev(behind)->second <= place);
      EXPECT_LE(place + bytes, extents.end());
      used.emplace(place, bytes);
    } else {
      const auto one = std::next(used.begin(), static_cast<std::ptrdiff_t>(random() % used.size()));
      EXPECT_EQ(extents.give_back(one->first), one->second);
      used.erase(one);
    }
  }
}

TEST(Extents, FreeNeighboursBecomeOne) {
  Extents extents;
  const std::uint64_t a = extents.take(10), b = extents.take(20), c = extents.take(30);
  extents.take(1);
  extents.give_back(a);
  extents.give_back(c);
  extents.give_back(b);
  EXPECT_EQ(extents.take(60), a);
  EXPECT_EQ(extents.end(), 61U);
}

TEST(Extents, TheSmallestPartThatIsLargeEnoughIsTaken) {
  Extents extents;
  const std::uint64_t large = extents.take(50);
  extents.take(1);
  const std::uint64_t small = extents.take(20);
  extents.take(1);
  extents.give_back(large);
  extents.give_back(small);
  EXPECT_EQ(extents.take(15), small);
  EXPECT_EQ(extents.take(40), large);
}

}  // namespace
}  // namespace waitdiag

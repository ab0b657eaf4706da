// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/diagnosis/repairs/losses.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

namespace waitdiag {
namespace {

TEST(Losses, ShorterStretchesComeFirstAndThoseOfOneLengthInTheirOrder) {
  using LengthAndCause = std::pair<Place, std::uint32_t>;
  std::vector<LengthAndCause> expected;
  Losses losses;
  for (std::uint32_t cause = 0; cause < 100; ++cause) {
    for (const Place length : {70'000u, 3u, 0u, 300u, 1u << 31, 256u, 3u}) {
      losses.add(cause, {.first = cause, .last = cause + length, .nanoseconds = 1});
      expected.emplace_back(length, cause);
    }
  }
  std::stable_sort(expected.begin(), expected.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  std::vector<LengthAndCause> found;
  losses.for_each_shortest_first(
      [&](std::uint32_t cause, const Loss& loss) { found.emplace_back(loss.last - loss.first, cause); });
  EXPECT_EQ(found, expected);
}

}  // namespace
}  // namespace waitdiag

// Causes that ranks run in turn are told from some of many waits.
//
// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/diagnosis/repairs/turns.hpp"

#include <gtest/gtest.h>

#include <numeric>

namespace waitdiag {
namespace {

std::vector<std::uint32_t> waits(std::size_t count) {
  std::vector<std::uint32_t> order(count);
  std::iota(order.begin(), order.end(), 0u);
  return order;
}

TEST(Turns, AllOfFewWaitsAreLookedAt) {
  EXPECT_EQ(Turns::enough_of(waits(0)), waits(0));
  EXPECT_EQ(Turns::enough_of(waits(10000)), waits(10000));
}

TEST(Turns, OfManyWaitsSomeAreFromTheFirstToTheLastEachOnce) {
  for (const std::size_t count : {16385, 1000000}) {
    const std::vector<std::uint32_t> some = Turns::enough_of(waits(count));
    EXPECT_LT(some.size(), count);
    EXPECT_EQ(some.front(), 0u);
    EXPECT_EQ(some.back(), count - 1);
    for (std::size_t i = 1; i < some.size(); ++i) ASSERT_LT(some[i - 1], some[i]);
  }
}

TEST(Turns, NothingIsAddedOnceTheyAreFound) {
  Turns turns(2);
  turns.add(0, 1000, 0);
  turns.add(1, 1000, 1000);
  EXPECT_TRUE(turns.find());
  turns.add(0, 1000, 1000);
  EXPECT_TRUE(turns.taken(0));
  EXPECT_FALSE(turns.taken(1));
}

}  // namespace
}  // namespace waitdiag

// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/diagnosis/repairs/running_sums.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace waitdiag {
namespace {

// Sums before each of 100 places with this time each.
void expect_sums(Duration at_each) {
  RunningSums sums;
  EXPECT_FALSE(sums.has_any());
  sums.begin();
  EXPECT_TRUE(sums.has_any());
  for (int i = 0; i < 100; ++i) {
    sums.next();
    sums.add(at_each / 2);
    sums.add(at_each - at_each / 2);
  }
  sums.close();
  for (int i = 0; i <= 100; ++i) EXPECT_EQ(sums[static_cast<std::size_t>(i)], i * at_each) << i;
}

TEST(RunningSums, AreExact) {
  expect_sums(Duration(1000));
}

TEST(RunningSums, AreExactWhereTimesAreLong) {
  expect_sums(Duration(900'000'000));
  expect_sums(Duration(100'000'000'000));
}

}  // namespace
}  // namespace waitdiag

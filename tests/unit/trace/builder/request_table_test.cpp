// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/trace/builder/request_table.hpp"

#include <gtest/gtest.h>

#include <map>
#include <random>

namespace waitdiag {
namespace {

Request send(std::uint32_t end) {
  return {end, Request::What::Send};
}

TEST(RequestTable, ANumberIsInUseUntilItIsTaken) {
  RequestTable table;
  EXPECT_FALSE(table.take(7));
  EXPECT_TRUE(table.post(7, send(1)));
  EXPECT_FALSE(table.post(7, send(2)));
  EXPECT_EQ(table.size(), 1u);
  EXPECT_EQ(table.take(7)->end, 2u);
  EXPECT_FALSE(table.take(7));
  EXPECT_TRUE(table.post(7, send(3)));
}

// A few numbers that are far apart collide in the table all the time.
TEST(RequestTable, IsAMap) {
  RequestTable table;
  std::map<std::uint64_t, std::uint32_t> expected;
  std::minstd_rand random(1);
  for (std::uint32_t step = 0; step < 20000; ++step) {
    const std::uint64_t number = std::uint64_t{random() % 100} << (random() % 60);
    if (random() % 2 == 0) {
      EXPECT_EQ(table.post(number, send(step)), !expected.contains(number));
      expected[number] = step;
    } else {
      const auto taken = table.take(number);
      ASSERT_EQ(taken.has_value(), expected.contains(number)) << step;
      if (taken) {
        EXPECT_EQ(taken->end, expected[number]);
      }
      expected.erase(number);
    }
    ASSERT_EQ(table.size(), expected.size());
  }
}

}  // namespace
}  // namespace waitdiag

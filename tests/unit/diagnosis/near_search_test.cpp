// A search that begins near the result finds it wherever it begins.
//
// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/diagnosis/intervals/near_search.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace waitdiag {
namespace {

TEST(NearSearch, FindsTheSamePlaceFromEverywhere) {
  for (std::size_t size = 0; size <= 40; ++size)
    for (std::size_t place = 0; place <= size; ++place)
      for (std::size_t guess = 0; guess <= size; ++guess)
        ASSERT_EQ(first_not_before(size, guess, [&](std::size_t i) { return i < place; }), place)
            << guess << " of " << size;
}

TEST(NearSearch, FindsTheWaitsOfACallHoweverTheyLie) {
  std::vector<WaitState> waits;
  for (const std::uint32_t op : {90U, 91U, 91U, 99U})
    waits.push_back({.victim = {Location{0}, op}, .cause = {}});
  EXPECT_EQ(first_wait_in({}, 0, 0), 0U);
  EXPECT_EQ(first_wait_in(waits, 100, 0), 0U);
  EXPECT_EQ(first_wait_in(waits, 100, 91), 1U);
  EXPECT_EQ(first_wait_in(waits, 100, 92), 3U);
  EXPECT_EQ(first_wait_in(waits, 100, 99), 3U);
  EXPECT_EQ(first_wait_in(waits, 100, 100), 4U);
}

}  // namespace
}  // namespace waitdiag

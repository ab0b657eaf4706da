// A search that begins near the result finds it wherever it begins.
//
// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/diagnosis/intervals/near_search.hpp"

#include <gtest/gtest.h>

#include <cstddef>

namespace waitdiag {
namespace {

TEST(NearSearch, FindsTheSamePlaceFromEverywhere) {
  for (std::size_t size = 0; size <= 40; ++size)
    for (std::size_t place = 0; place <= size; ++place)
      for (std::size_t guess = 0; guess <= size; ++guess)
        ASSERT_EQ(first_not_before(size, guess, [&](std::size_t i) { return i < place; }), place)
            << guess << " of " << size;
}

}  // namespace
}  // namespace waitdiag

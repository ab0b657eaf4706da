// Sizes that no recorded run has.
//
// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/scaling/rescaling/message_sizes.hpp"

#include <gtest/gtest.h>

#include <initializer_list>

namespace waitdiag {
namespace {

SentSizes sent(std::initializer_list<std::uint64_t> sizes) {
  SentSizes all;
  for (const std::uint64_t bytes : sizes) all.add(bytes);
  return all;
}

TEST(SentSizes, ClassesBeginWithTheirSmallestSize) {
  for (const std::uint64_t bytes : {1u, 2u, 3u, 4u, 5u, 7u, 8u, 10u, 12u, 1024u, 1280u, 7u << 20})
    EXPECT_EQ(SentSizes::least_of(SentSizes::class_of(bytes)), bytes);
  EXPECT_EQ(SentSizes::class_of(1279), SentSizes::class_of(1024));
  EXPECT_EQ(SentSizes::class_of(UINT64_MAX), SentSizes::kClasses - 1);
}

TEST(OutsideRecorded, CountsMessagesOfOtherSizes) {
  EXPECT_FALSE(outside_recorded(sent({8, 4096}), sent({8, 8, 4100})));
  EXPECT_FALSE(outside_recorded(sent({}), sent({8})));
  const auto outside = outside_recorded(sent({8, 65536}), sent({8, 4096, 8192, 65536}));
  ASSERT_TRUE(outside);
  EXPECT_EQ(outside->share, 0.5);
  EXPECT_EQ(outside->recorded.most, 65536u);
  EXPECT_EQ(outside->target.least, 4096u);
  EXPECT_EQ(outside->target.most, 8192u);
}

}  // namespace
}  // namespace waitdiag

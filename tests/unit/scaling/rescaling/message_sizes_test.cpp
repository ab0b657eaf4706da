// Sizes that no recorded run has: which these are, and what they might cost.
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

Machine machine() {
  MachineLevel level;
  level.intervals = {{0, 1000, 1}, {65536, 3000, 2}};
  Machine machine;
  machine.levels.push_back(level);
  return machine;
}

double latency_of(const Machine& of, std::uint64_t bytes) {
  return interval_of(of.levels[0], bytes)->latency_ns;
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

TEST(DearerOutside, ByHowFarASizeIsFromRecordedOnes) {
  const Machine dearer = dearer_outside(machine(), sent({8, 1048576}), 2);
  EXPECT_EQ(latency_of(dearer, 8), 1000);
  EXPECT_NEAR(latency_of(dearer, 16), 1000, 40);  // as good as the same
  EXPECT_GT(latency_of(dearer, 4096), 4000);
  EXPECT_EQ(latency_of(dearer, 1048576), 3000);
  EXPECT_NEAR(latency_of(dearer, 2097152), 6000, 10);
  EXPECT_NEAR(latency_of(dearer, 4194304), 12000, 20);
}

TEST(DearerOutside, LessBetweenSizesThatWereRecorded) {
  const double beyond = latency_of(dearer_outside(machine(), sent({16384}), 2), 32768);
  const double between = latency_of(dearer_outside(machine(), sent({16384, 65535}), 2), 32768);
  EXPECT_NEAR(beyond, 2000, 40);
  EXPECT_LT(between, 1500);
  EXPECT_GT(between, 1200);
}

}  // namespace
}  // namespace waitdiag

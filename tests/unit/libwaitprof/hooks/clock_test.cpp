// Ticks scaled to nanoseconds.
//
// SPDX-License-Identifier: BSD-3-Clause
#include "libwaitprof/surroundings/clock.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <thread>

namespace waitprof {
namespace {

TEST(ClockTest, ScalesFromTheStart) {
  const TickScale two_ns_per_tick{{1000, 50'000}, std::uint64_t{2} << 32};
  EXPECT_EQ(scaled(two_ns_per_tick, 1000), 50'000U);
  EXPECT_EQ(scaled(two_ns_per_tick, 1001), 50'002U);
  constexpr std::uint64_t kYear = 31'536'000'000'000'000;
  EXPECT_EQ(scaled(two_ns_per_tick, 1000 + kYear / 2), 50'000U + kYear);
}

TEST(ClockTest, ReadingsTooCloseGiveNoScale) {
  EXPECT_EQ(tick_scale({1000, 5'000}, {2000, 500'000}).nanoseconds_per_tick, 0U);
  EXPECT_EQ(tick_scale({1000, 0}, {1000, 5'000'000}).nanoseconds_per_tick, 0U);
}

TEST(ClockTest, ScaledTicksAgreeWithTheKernel) {
  const ClockReading first = read_clocks();
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  const TickScale scale = tick_scale(first, read_clocks());
  if (scale.nanoseconds_per_tick == 0) {
    GTEST_SKIP() << "the kernel does not use the tick counter here";
  }
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  const ClockReading later = read_clocks();
  const auto error = static_cast<double>(scaled(scale, later.ticks)) - static_cast<double>(later.nanoseconds);
  EXPECT_NEAR(error, 0.0, 20e6 * 0.001);
  use_ticks(scale);
  const std::uint64_t time = now();
  use_ticks({});
  EXPECT_GE(time + 20'000, later.nanoseconds);
  EXPECT_LE(time, now() + 20'000);
}

}  // namespace
}  // namespace waitprof

// Waiting for other ranks without keeping the processor.
//
// SPDX-License-Identifier: BSD-3-Clause
#include "libwaitprof/surroundings/patience.hpp"

#include <gtest/gtest.h>

#include <cstdint>

#include "libwaitprof/surroundings/clock.hpp"

namespace waitprof {
namespace {

std::uint64_t sleeps_in(const Patience& patience) {
  const std::uint64_t before = thread_use().sleeps;
  patience.give_way();
  return thread_use().sleeps - before;
}

TEST(PatienceTest, WhoHasWaitedLongSleeps) {
  EXPECT_EQ(sleeps_in(Patience(0)), 1u);
}

TEST(PatienceTest, AnAnswerThatMayComeAtOnceIsPolledFor) {
  EXPECT_EQ(sleeps_in(Patience(UINT64_MAX)), 0u);
}

}  // namespace
}  // namespace waitprof

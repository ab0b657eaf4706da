// Readings of the memory that the process uses.
//
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>
#include <sys/mman.h>

#include <cstring>

#include "libwaitprof/hooks/workers.hpp"
#include "libwaitprof/presence/metrics.hpp"

namespace waitprof {
namespace {

constexpr std::size_t kMuch = std::size_t{64} << 20;

// Memory goes back to the kernel at once, which an allocator would not guarantee.
void use_and_give_back() {
  void* const memory = ::mmap(nullptr, kMuch, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  ASSERT_NE(memory, MAP_FAILED);
  std::memset(memory, 1, kMuch);
  ::munmap(memory, kMuch);
}

TEST(Usage, MemoryThatCameAndWentBetweenTwoReadingsIsSeenOnce) {
  const std::uint64_t before = current_usage().resident;
  EXPECT_GT(before, 0u);
  use_and_give_back();
  EXPECT_GT(current_usage().resident, before + kMuch / 2);
  EXPECT_LT(current_usage().resident, before + kMuch / 2);
}

// Threads are interrupted at the same time, as far as there are processors for them.
TEST(Usage, SamplesOfManyThreadsCostWhatTheProcessorsDoNotShare) {
  EXPECT_EQ(upkeep_by_the_clock(10, {.most = 40, .all = 100}, 64), 40u);
  EXPECT_EQ(upkeep_by_the_clock(10, {.most = 40, .all = 100}, 2), 55u);
  EXPECT_EQ(upkeep_by_the_clock(10, {.most = 40, .all = 100}, 0), 40u);  // not known
  EXPECT_EQ(upkeep_by_the_clock(10, {}, 2), 10u);
}

TEST(Usage, WhatTheHostTookIsTheEighthNumber) {
  const char* const stat = "cpu  1365907 929805 246259 155063 1127 0 1067 3834 12 13\ncpu0 1 1 1 1 1 1 1 1\n";
  EXPECT_EQ(node_ticks(stat).stolen, 3834u);
  EXPECT_EQ(node_ticks("cpu 1 2 3 4\n").stolen, 0u);
  EXPECT_EQ(node_ticks("cpu0 1 2 3 4 5 6 7 8\n").stolen, 0u);
  EXPECT_EQ(node_ticks("").stolen, 0u);
}

TEST(Usage, ProcessorsAreBusyWithUsersTheKernelAndInterruptsButNotWithWaiting) {
  EXPECT_EQ(node_ticks("cpu  10 20 30 4000 5000 40 50 6000 0 0\n").busy, 150u);
}

}  // namespace
}  // namespace waitprof

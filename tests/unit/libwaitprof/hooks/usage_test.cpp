// Readings of the memory that the process uses.
//
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>
#include <sys/mman.h>

#include <cstring>

#include "libwaitprof/metrics/metrics.hpp"

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

}  // namespace
}  // namespace waitprof

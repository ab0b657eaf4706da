// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/trace/memory/memory_limit.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <random>
#include <string>
#include <vector>

#include "analyzer/trace/memory/scratch_file.hpp"

namespace waitdiag {
namespace {

constexpr std::uint64_t kMiB = std::uint64_t{1} << 20;

// Pages of this process that lie in memory, in bytes.
std::uint64_t resident_bytes() {
  std::uint64_t all = 0, pages = 0;
  std::ifstream("/proc/self/statm") >> all >> pages;
  return pages * 4096;
}

// Of this test alone: blocks stay plain memory afterwards.
struct LimitedMemory : testing::Test {
  ~LimitedMemory() override { limit_memory(0, Limit::Usual); }
};

TEST_F(LimitedMemory, LargeVectorsLieInTheScratchFileAndKeepWhatIsInThem) {
  scratch_in(testing::TempDir());
  limit_memory(8 * kMiB, Limit::Chosen);
  const std::uint64_t before = scratch_used();
  std::mt19937 random(1);
  std::vector<std::vector<std::uint32_t>> columns;
  for (std::uint32_t i = 0; i < 200; ++i) {
    columns.emplace_back(20000 + random() % 200000, i);
    if (i % 3 == 0) columns[random() % columns.size()].assign(1, ~std::uint32_t{0});
    if (i % 3 == 0) columns.back().shrink_to_fit();
  }
  for (std::uint32_t i = 0; i < columns.size(); ++i)
    EXPECT_TRUE(columns[i].size() == 1 || std::ranges::all_of(columns[i], [&](auto n) { return n == i; }));
  EXPECT_GT(scratch_used() - before, 40 * kMiB);
}

TEST_F(LimitedMemory, HalfOfTheLimitIsPlainMemory) {
  scratch_in(testing::TempDir());
  limit_memory(256 * kMiB, Limit::Chosen);
  const std::uint64_t before = scratch_used();
  const std::vector<char> block(60 * kMiB, 'x'), other(60 * kMiB, 'x');
  EXPECT_EQ(scratch_used(), before);
  const std::vector<char> beyond(20 * kMiB, 'x');
  EXPECT_GT(scratch_used(), before);
}

TEST_F(LimitedMemory, WithoutALimitNothingDoes) {
  const std::uint64_t before = scratch_used();
  const std::vector<char> block(64 * kMiB, 'x');
  EXPECT_EQ(scratch_used(), before);
}

TEST(ScratchFile, WhatIsHandedBackLeavesMemoryAndStaysInTheFile) {
  ScratchFile file(testing::TempDir());
  constexpr std::size_t kNumbers = 8 * kMiB;
  auto* const numbers = static_cast<std::uint32_t*>(file.allocate(kNumbers * sizeof(std::uint32_t)));
  for (std::uint32_t i = 0; i < kNumbers; ++i) numbers[i] = i;
  const std::uint64_t before = resident_bytes();
  while (file.hand_back()) {
  }
  EXPECT_LT(resident_bytes(), before - 16 * kMiB);
  bool same = true;
  for (std::uint32_t i = 0; i < kNumbers; ++i) same = same && numbers[i] == i;
  EXPECT_TRUE(same);
  file.free(numbers);
}

TEST(ScratchFile, LeavesNothingInItsDirectory) {
  const std::string directory = testing::TempDir() + "/waitdiag-scratch-test";
  std::filesystem::create_directory(directory);
  ScratchFile file(directory);
  file.allocate(kMiB);
  EXPECT_TRUE(std::filesystem::is_empty(directory));
  std::filesystem::remove(directory);
}

TEST(ScratchFile, ADirectoryThatIsNotThereIsOneLine) {
  try {
    ScratchFile file("/nowhere");
    FAIL();
  } catch (const ScratchError& error) {
    EXPECT_THAT(error.what(), testing::HasSubstr("the scratch file in /nowhere cannot be written"));
  }
}

// A limit of file sizes stands in for a full disk.
TEST(ScratchFile, AFullDiskIsOneLineAndNoSignal) {
  ScratchFile file(testing::TempDir());
  rlimit before{};
  ::getrlimit(RLIMIT_FSIZE, &before);
  const rlimit little{kMiB, before.rlim_max};
  ::setrlimit(RLIMIT_FSIZE, &little);
  try {
    file.allocate(2 * kMiB);
    ADD_FAILURE();
  } catch (const ScratchError& error) {
    EXPECT_THAT(error.what(), testing::HasSubstr("cannot be made larger"));
  }
  ::setrlimit(RLIMIT_FSIZE, &before);
}

TEST(UsableMemory, IsNoMoreThanTheMachineHas) {
  EXPECT_GT(usable_memory(), 16 * kMiB);
  EXPECT_LT(usable_memory(), std::uint64_t{1} << 50);
}

}  // namespace
}  // namespace waitdiag

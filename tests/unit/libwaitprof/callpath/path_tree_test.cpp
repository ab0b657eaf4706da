// The tree of call paths: equal paths have equal ids, even if several threads add them at once.
//
// SPDX-License-Identifier: BSD-3-Clause
#include "libwaitprof/callpath/path_tree.hpp"

#include <gtest/gtest.h>

#include <set>
#include <thread>
#include <vector>

#include "tests/unit/libwaitprof/callpath/recorder_fakes.hpp"

namespace waitprof {
namespace {

void* at(std::uintptr_t address) {
  return reinterpret_cast<void*>(address);
}

class PathTree : public testing::Test {
 protected:
  void SetUp() override { ASSERT_TRUE(prepare_path_tree()); }
};

TEST_F(PathTree, GivesAPathOneNodePerFrame) {
  const std::uint32_t before = call_path_count();
  const std::vector<void*> path = {at(0x30), at(0x20), at(0x10)};
  const std::uint32_t id = path_id(path, false);
  EXPECT_EQ(call_path_count(), before + 3);
  EXPECT_EQ(test::frames_of(id), (std::vector<std::uintptr_t>{0x30, 0x20, 0x10}));
  EXPECT_EQ(path_id(path, false), id);
  EXPECT_EQ(call_path_count(), before + 3);
}

TEST_F(PathTree, SharesTheOuterFrames) {
  const std::vector<void*> outer = {at(0x2000), at(0x1000)};
  const std::vector<void*> inner = {at(0x3000), at(0x2000), at(0x1000)};
  const std::uint32_t outer_id = path_id(outer, false);
  EXPECT_EQ(call_path_node(path_id(inner, false)).parent, outer_id);
}

TEST_F(PathTree, KeepsRecursionApart) {
  const std::vector<void*> once = {at(0x50), at(0x40)};
  const std::vector<void*> twice = {at(0x50), at(0x50), at(0x40)};
  EXPECT_NE(path_id(once, false), path_id(twice, false));
}

TEST_F(PathTree, KeepsAnInterruptedInstructionApartFromAReturnAddress) {
  const std::vector<void*> path = {at(0x62), at(0x61)};
  const std::uint32_t called = path_id(path, false);
  const std::uint32_t interrupted = path_id(path, true);
  EXPECT_NE(called, interrupted);
  EXPECT_TRUE(call_path_node(interrupted).exact);
  EXPECT_FALSE(call_path_node(called).exact);
  EXPECT_EQ(call_path_node(interrupted).parent, call_path_node(called).parent);
}

TEST_F(PathTree, HasNoPathWithoutFrames) {
  EXPECT_EQ(path_id({}, false), 0U);
}

TEST_F(PathTree, IsTheSameForAllThreads) {
  constexpr std::uintptr_t kPaths = 5000;
  std::vector<std::vector<std::uint32_t>> ids(4);
  std::vector<std::thread> threads;
  threads.reserve(ids.size());
  for (std::vector<std::uint32_t>& mine : ids)
    threads.emplace_back([&mine] {
      for (std::uintptr_t i = 0; i < kPaths; ++i) {
        const std::vector<void*> path = {at(0x9000 + i), at(0x8000 + i % 100), at(0x7000)};
        mine.push_back(path_id(path, false));
      }
    });
  for (std::thread& thread : threads) thread.join();
  for (const std::vector<std::uint32_t>& mine : ids) EXPECT_EQ(mine, ids[0]);
  EXPECT_EQ(std::set<std::uint32_t>(ids[0].begin(), ids[0].end()).size(), kPaths);
  EXPECT_EQ(test::frames_of(ids[0][101]), (std::vector<std::uintptr_t>{0x9000 + 101, 0x8001, 0x7000}));
}

}  // namespace
}  // namespace waitprof

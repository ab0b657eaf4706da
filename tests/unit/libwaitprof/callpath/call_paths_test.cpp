// Call paths are what another unwinder sees, whatever the frames look like; they start at main or at the
// thread's function, end at the caller of the MPI call, and are the same id every time.
//
// SPDX-License-Identifier: BSD-3-Clause
#include "libwaitprof/callpath/call_paths.hpp"

#include <dlfcn.h>
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <random>
#include <thread>

#include "tests/unit/libwaitprof/callpath/call_trees.hpp"
#include "tests/unit/libwaitprof/callpath/recorder_fakes.hpp"

namespace waitprof {
namespace {

using testing::ElementsAreArray;
using testing::Gt;
using testing::Le;
using testing::SizeIs;

constexpr int kDeep = 256;

std::vector<std::uintptr_t> first_frames(std::vector<std::uintptr_t> frames, std::size_t count) {
  frames.resize(std::min(count, frames.size()));
  return frames;
}

class CallPathsOfDepth : public testing::TestWithParam<std::size_t> {};

TEST_P(CallPathsOfDepth, AreWhatAnotherUnwinderSees) {
  ASSERT_TRUE(start_call_paths(kDeep));
  const std::uint64_t truncated_before = truncated_call_paths();
  std::mt19937 random(1234);
  for (int i = 0; i < 200; ++i) {
    test::Chain chain;
    for (std::size_t k = 0; k < GetParam(); ++k) chain.kinds.push_back(static_cast<unsigned>(random()));
    chain.sizes = random();
    test::follow(chain);
    for (const test::SeenCall& seen : chain.seen) {
      const std::vector<std::uintptr_t> frames = test::frames_of(seen.path);
      // Outside main there are only two frames of the C library, _start, and the end mark.
      ASSERT_EQ(frames.size() + 4, seen.expected.size());
      ASSERT_THAT(frames, ElementsAreArray(first_frames(seen.expected, frames.size())));
      ASSERT_EQ(test::functions_of(seen.path).back(), "main");
    }
  }
  EXPECT_EQ(truncated_call_paths(), truncated_before);
}
INSTANTIATE_TEST_SUITE_P(Depths, CallPathsOfDepth, testing::Values(1, 5, 10, 20, 40));

test::Chain plain_chain(std::size_t depth) {
  return {.kinds = std::vector<unsigned>(depth, 0), .position = 0, .sizes = 0, .seen = {}};
}

TEST(CallPaths, AreTheSameEveryTime) {
  ASSERT_TRUE(start_call_paths(kDeep));
  test::Chain chain = plain_chain(10);
  const volatile int times = 3;  // unknown to the optimiser: the loop keeps one call
  for (int i = 0; i < times; ++i) test::follow(chain);
  EXPECT_EQ(chain.seen[0].path, chain.seen[1].path);
  EXPECT_EQ(chain.seen[1].path, chain.seen[2].path);
  const std::uint32_t nodes = call_path_count();
  test::follow(chain);
  EXPECT_NE(chain.seen[3].path, chain.seen[2].path);        // another call site
  EXPECT_THAT(call_path_count() - nodes, Le(11U * 2 + 2));  // but the frames around it are shared
}

void* follow_in_thread(void* chain) {
  test::follow(*static_cast<test::Chain*>(chain));
  return nullptr;
}

TEST(CallPaths, StartAtTheThreadsFunction) {
  ASSERT_TRUE(start_call_paths(kDeep));
  test::Chain chain = plain_chain(3);
  pthread_t thread{};
  pthread_create(&thread, nullptr, follow_in_thread, &chain);
  pthread_join(thread, nullptr);
  EXPECT_THAT(test::frames_of(chain.seen[0].path),
              SizeIs(1 + 2 * 3 + 1));  // follow, (plain, follow) x 3, the function
}

TEST(CallPaths, BeyondTheLimitKeepTheInnermostFrames) {
  ASSERT_TRUE(start_call_paths(8));
  const std::uint64_t truncated_before = truncated_call_paths();
  test::Chain chain = plain_chain(20);
  test::follow(chain);
  const std::vector<std::uintptr_t> frames = test::frames_of(chain.seen[0].path);
  EXPECT_THAT(frames, ElementsAreArray(first_frames(chain.seen[0].expected, 8)));
  EXPECT_EQ(truncated_call_paths(), truncated_before + 1);
}

TEST(CallPaths, AreNoneBeforeTheStart) {
  if (call_path_count() > 0) GTEST_SKIP() << "another test of this process has started them";
  test::Chain chain = plain_chain(2);
  test::follow(chain);
  EXPECT_EQ(chain.seen[0].path, 0U);
}

TEST(CallPaths, AreNoneForAReturnAddressThatIsNotOnTheStack) {
  ASSERT_TRUE(start_call_paths(kDeep));
  const std::uintptr_t stack[] = {0x1234, 0};
  EXPECT_EQ(call_path_of_caller({.frame = &stack[1], .frame_pointer = 0}), 0U);
}

// Linked the usual way, libunwind would catch the exceptions of the application.
TEST(CallPaths, LeaveExceptionsToTheCompilersLibrary) {
  ASSERT_TRUE(start_call_paths(kDeep));
  Dl_info info{};
  ASSERT_NE(dladdr(dlsym(RTLD_DEFAULT, "_Unwind_RaiseException"), &info), 0);
  EXPECT_THAT(info.dli_fname, testing::Not(testing::HasSubstr("libunwind")));
}

// libunwind's check of addresses uses a pipe; a program that closes "all others" and opens its own files
// would find our bytes in them.
TEST(CallPaths, TakeNoFileDescriptor) {
  const int before = open("/dev/null", O_RDONLY);
  close(before);
  ASSERT_TRUE(start_call_paths(kDeep));
  test::Chain chain = plain_chain(20);
  test::follow(chain);
  EXPECT_THAT(test::frames_of(chain.seen[0].path), SizeIs(Gt(40U)));
  const int after = open("/dev/null", O_RDONLY);
  close(after);
  EXPECT_EQ(after, before);
}

TEST(CallPaths, KeepErrno) {
  ASSERT_TRUE(start_call_paths(kDeep));
  test::Chain chain = plain_chain(7);
  errno = ENOSPC;
  test::follow(chain);
  EXPECT_EQ(errno, ENOSPC);
}

}  // namespace
}  // namespace waitprof

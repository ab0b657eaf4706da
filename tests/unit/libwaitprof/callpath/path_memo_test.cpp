// Remembered paths are the paths that a walk would find: random calls, whose stacks are often repeated,
// sometimes changed in one place, are each compared with another unwinder.
//
// SPDX-License-Identifier: BSD-3-Clause
#include "libwaitprof/callpath/path_memo.hpp"

#include <dlfcn.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <thread>

#include "tests/unit/libwaitprof/callpath/call_trees.hpp"
#include "tests/unit/libwaitprof/callpath/recorder_fakes.hpp"

namespace waitprof {
namespace {

using test::Chain;

struct Comparison {
  std::size_t calls = 0, mismatches = 0;
  PathMemoCounts counts;
};

// Whether the path is what libgcc sees, without the `outside` frames around main or the thread's function.
bool agrees(const test::SeenCall& seen, std::size_t outside) {
  const std::vector<std::uintptr_t> frames = test::frames_of(seen.path);
  return frames.size() + outside == seen.expected.size() &&
         std::equal(frames.begin(), frames.end(), seen.expected.begin());
}

// A few chains, and from time to time one of them changed in one place.
std::vector<Chain> some_chains(std::mt19937& random, std::size_t depth, unsigned kinds) {
  std::vector<Chain> chains(12);
  for (Chain& chain : chains) {
    for (std::size_t i = 0; i < depth; ++i) chain.kinds.push_back(static_cast<unsigned>(random() % kinds));
    chain.sizes = random();
  }
  return chains;
}

void change_one(std::mt19937& random, std::vector<Chain>& chains, unsigned kinds) {
  Chain& chain = chains[random() % chains.size()];
  chain.kinds[random() % chain.kinds.size()] = static_cast<unsigned>(random() % kinds);
}

// Exchanges two sizes, so that frames move within a stack whose ends stay where they are.
void move_one(std::mt19937& random, std::vector<Chain>& chains) {
  Chain& chain = chains[random() % chains.size()];
  const std::size_t a = random() % 7 * 2, b = a + 2;
  const std::size_t first = chain.sizes >> a & 3, second = chain.sizes >> b & 3;
  chain.sizes &= ~(std::size_t{3} << a | std::size_t{3} << b);
  chain.sizes |= second << a | first << b;
}

struct Trees {
  unsigned seed = 0;
  std::size_t depth = 1;
  unsigned kinds = test::kSignalFrame;  // kinds of frames: the first ones
  unsigned rounds_per_move = 8;
};

__attribute__((noinline)) Comparison compare(const Trees& trees, int rounds, std::size_t outside) {
  std::mt19937 random(trees.seed);
  std::vector<Chain> chains = some_chains(random, trees.depth, trees.kinds);
  Comparison result;
  const PathMemoCounts before = path_memo_counts();
  for (int i = 0; i < rounds; ++i) {
    Chain& chain = chains[random() % chains.size()];
    test::follow(chain);
    for (const test::SeenCall& seen : chain.seen) {
      ++result.calls;
      result.mismatches += agrees(seen, outside) ? 0 : 1;
    }
    chain.seen.clear();
    if (random() % 64 == 0) change_one(random, chains, trees.kinds);
    if (random() % trees.rounds_per_move == 0) move_one(random, chains);
  }
  result.counts = path_memo_counts();
  result.counts.hits -= before.hits;
  result.counts.not_explained -= before.not_explained;
  return result;
}

constexpr int kDeep = 256;
constexpr std::size_t kAroundMain = 4;  // two frames of the C library, _start, the end mark

class PathMemoOfDepth : public testing::TestWithParam<std::size_t> {};

TEST_P(PathMemoOfDepth, AgreesWithAnotherUnwinder) {
  const int rounds = static_cast<int>(std::min<std::size_t>(5000, 30000 / GetParam()));
  ASSERT_TRUE(start_call_paths(kDeep));
  for (unsigned seed = 1; seed <= 4; ++seed) {
    const Comparison result = compare({.seed = seed, .depth = GetParam()}, rounds, kAroundMain);
    EXPECT_EQ(result.mismatches, 0U) << "seed " << seed;
    EXPECT_EQ(result.counts.not_explained, 0U);
    EXPECT_GE(result.counts.hits, result.calls / 3);
    RecordProperty("hits_" + std::to_string(seed), std::to_string(result.counts.hits));
  }
}
INSTANTIATE_TEST_SUITE_P(Depths, PathMemoOfDepth, testing::Values(2, 5, 10, 30));

// Variable arrays whose sizes are exchanged all the time: an old return address is often still at its place,
// but no longer part of the stack. Without the frame pointers among the words some of these answers are
// wrong.
TEST(PathMemo, SeesThatFramesMoved) {
  ASSERT_TRUE(start_call_paths(kDeep));
  for (unsigned seed = 1; seed <= 10; ++seed) {
    const Comparison result =
        compare({.seed = seed, .depth = 4, .kinds = 4, .rounds_per_move = 2}, 2000, kAroundMain);
    EXPECT_EQ(result.mismatches, 0U) << "seed " << seed;
    EXPECT_GE(result.counts.hits, result.calls / 4);
  }
}

TEST(PathMemo, NeverKeepsPathsThroughSignals) {
  ASSERT_TRUE(start_call_paths(kDeep));
  const Comparison result =
      compare({.seed = 7, .depth = 6, .kinds = test::kSignalFrame + 1}, 1000, kAroundMain);
  EXPECT_EQ(result.mismatches, 0U);
  EXPECT_GT(result.counts.not_explained, 0U);
  Chain only_signals{.kinds = {test::kSignalFrame}, .position = 0, .sizes = 0, .seen = {}};
  const std::uint64_t hits = path_memo_counts().hits;
  for (int i = 0; i < 10; ++i) test::follow(only_signals);
  EXPECT_EQ(path_memo_counts().hits, hits);
}

TEST(PathMemo, IsEveryThreadsOwn) {
  ASSERT_TRUE(start_call_paths(kDeep));
  std::vector<Comparison> results(3);
  std::vector<std::thread> threads;
  for (unsigned i = 0; i < results.size(); ++i)
    threads.emplace_back([i, &results] {
      Chain chain{.kinds = {}, .position = 0, .sizes = 0, .seen = {}};
      test::follow(chain);  // an unremembered walk shows how many frames are outside
      const std::size_t outside = chain.seen[0].expected.size() - test::frames_of(chain.seen[0].path).size();
      results[i] = compare({.seed = i, .depth = 8}, 3000, outside);
      forget_call_paths_of_thread();
    });
  for (std::thread& thread : threads) thread.join();
  for (const Comparison& result : results) {
    EXPECT_EQ(result.mismatches, 0U);
    EXPECT_GE(result.counts.hits, result.calls / 3);
  }
}

// More paths than there is room for, each of them often enough to be worth remembering.
TEST(PathMemo, BeginsAnewWhenItIsFull) {
  ASSERT_TRUE(start_call_paths(kDeep));
  const Comparison result = [] {
    Comparison sum;
    for (unsigned seed = 100; seed < 115; ++seed) {
      const Comparison one = compare({.seed = seed, .depth = 30}, 200, kAroundMain);
      sum.mismatches += one.mismatches;
      sum.counts.hits += one.counts.hits;
    }
    return sum;
  }();
  EXPECT_EQ(result.mismatches, 0U);
  EXPECT_GT(result.counts.hits, 1000U);
  EXPECT_GE(path_memo_counts().cleared, 1U);
}

TEST(PathMemo, CountsPathsBeyondTheLimitEveryTime) {
  ASSERT_TRUE(start_call_paths(8));
  Chain chain{.kinds = std::vector<unsigned>(20, 0), .position = 0, .sizes = 0, .seen = {}};
  const std::uint64_t truncated = truncated_call_paths();
  const std::uint64_t hits = path_memo_counts().hits;
  const volatile int times = 10;
  for (int i = 0; i < times; ++i) test::follow(chain);
  EXPECT_EQ(truncated_call_paths() - truncated, 10U);
  EXPECT_GT(path_memo_counts().hits, hits);
  for (const test::SeenCall& seen : chain.seen) EXPECT_EQ(seen.path, chain.seen[0].path);
  ASSERT_TRUE(start_call_paths(kDeep));
}

// Two plugins with the same function in frames of different size, one after another at the same address.
TEST(PathMemo, ForgetsCodeThatWasUnloaded) {
  ASSERT_TRUE(start_call_paths(kDeep));
  using CallBack = void (*)(void (*)(Chain&), Chain&);
  std::uint64_t hits_of_first_calls = 0, hits = 0;
  for (int round = 0; round < 10; ++round) {
    void* const plugin = dlopen(round % 2 == 0 ? PLUGIN_A : PLUGIN_B, RTLD_NOW | RTLD_LOCAL);
    ASSERT_NE(plugin, nullptr) << dlerror();
    const auto call_back = reinterpret_cast<CallBack>(dlsym(plugin, "call_back_from_plugin"));
    for (int i = 0; i < 5; ++i) {
      Chain chain{.kinds = {0}, .position = 0, .sizes = 0, .seen = {}};
      const std::uint64_t before = path_memo_counts().hits;
      call_back(test::follow, chain);
      hits_of_first_calls += i == 0 ? path_memo_counts().hits - before : 0;
      hits += path_memo_counts().hits - before;
      EXPECT_TRUE(agrees(chain.seen[0], kAroundMain));
    }
    dlclose(plugin);
  }
  EXPECT_EQ(hits_of_first_calls, 0U);
  EXPECT_GE(path_memo_counts().cleared, 1U);
  EXPECT_GT(hits, 10U);
}

}  // namespace
}  // namespace waitprof

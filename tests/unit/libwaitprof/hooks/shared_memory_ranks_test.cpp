// Ranks, here threads, that talk through a file which all of them map.
//
// SPDX-License-Identifier: BSD-3-Clause
#include "libwaitprof/surroundings/shared_memory_ranks.hpp"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <chrono>
#include <functional>
#include <numeric>
#include <string>
#include <thread>
#include <vector>

#include "libwaitprof/surroundings/used_time.hpp"

namespace waitprof {
namespace {

using Join = SharedMemoryRanks::Join;
using testing::Each;
using testing::ElementsAre;

constexpr std::size_t kBehindOthers = 8192;
std::atomic<int> calls_for_progress{0};

void count_progress() noexcept {
  ++calls_for_progress;
}

class SharedMemoryRanksTest : public testing::Test {
 protected:
  ~SharedMemoryRanksTest() override { ::close(file_); }

  // All have their parts before the first of them begins, as before and after MPI_Init.
  void run(int ranks, const std::function<void(int, SharedMemoryRanks&)>& talk) const {
    std::vector<SharedMemoryRanks> all(static_cast<std::size_t>(ranks));
    for (int rank = 0; rank < ranks; ++rank) {
      ASSERT_TRUE(all[static_cast<std::size_t>(rank)].take_part(file_, kBehindOthers, rank, ranks));
    }
    std::vector<std::thread> threads;
    for (int rank = 0; rank < ranks; ++rank) {
      SharedMemoryRanks& own = all[static_cast<std::size_t>(rank)];
      threads.emplace_back([&own, &talk, rank] {
        own.begin(count_progress);
        talk(rank, own);
      });
    }
    for (std::thread& thread : threads) thread.join();
    for (SharedMemoryRanks& each : all) each.leave();
  }

  int file_ = ::memfd_create("ranks", MFD_CLOEXEC | MFD_ALLOW_SEALING);
};

TEST_F(SharedMemoryRanksTest, NumbersAreJoined) {
  std::array<std::vector<std::uint64_t>, 4> joined;
  run(3, [&](int rank, SharedMemoryRanks& ranks) {
    for (const Join how : {Join::Least, Join::Largest, Join::Sum, Join::Bits}) {
      std::uint64_t numbers[] = {static_cast<std::uint64_t>(rank) + 1, 10 - static_cast<std::uint64_t>(rank)};
      ranks.join(numbers, how);
      if (rank == 2) joined[static_cast<std::size_t>(how)] = {numbers[0], numbers[1]};
    }
  });
  EXPECT_THAT(joined,
              ElementsAre(ElementsAre(1, 8), ElementsAre(3, 10), ElementsAre(6, 27), ElementsAre(3, 11)));
}

TEST_F(SharedMemoryRanksTest, ManyRoundsDoNotMix) {
  constexpr int kRounds = 300, kRanks = 4;
  std::atomic<int> wrong{0};
  run(kRanks, [&](int rank, SharedMemoryRanks& ranks) {
    for (std::uint64_t round = 0; round < kRounds; ++round) {
      std::uint64_t number = round * kRanks + static_cast<std::uint64_t>(rank);
      ranks.join({&number, 1}, Join::Largest);
      if (number != round * kRanks + kRanks - 1) ++wrong;
    }
  });
  EXPECT_EQ(wrong, 0);
}

TEST_F(SharedMemoryRanksTest, EverybodyGetsAllThatRank0Says) {
  std::string text(10'000, ' ');
  std::iota(text.begin(), text.end(), '\0');
  std::array<std::string, 3> heard;
  run(3, [&](int rank, SharedMemoryRanks& ranks) {
    std::string& own = heard[static_cast<std::size_t>(rank)];
    own = rank == 0 ? text : std::string(text.size(), '?');
    ranks.broadcast(own.data(), own.size());
  });
  EXPECT_THAT(heard, Each(text));
}

TEST_F(SharedMemoryRanksTest, LettersGoToTheirReceiver) {
  const std::string for_1(20'000, 'a'), for_2(30'000, 'b');
  std::array<std::string, 3> received{"", std::string(for_1.size(), '?'), std::string(for_2.size(), '?')};
  std::string back(5, '?');
  run(3, [&](int rank, SharedMemoryRanks& ranks) {
    std::string& own = received[static_cast<std::size_t>(rank)];
    if (rank == 0) {
      ranks.send(for_1.data(), for_1.size(), 1);
      ranks.send(for_2.data(), for_2.size(), 2);
      ranks.receive(nullptr, for_2.size(), 2);  // there is no memory for it
      ranks.receive(back.data(), back.size(), 2);
    } else {
      ranks.receive(own.data(), own.size(), 0);
    }
    if (rank == 2) {
      ranks.send(own.data(), own.size(), 0);
      ranks.send("bread", 5, 0);
    }
  });
  EXPECT_EQ(received[1], for_1);
  EXPECT_EQ(received[2], for_2);
  EXPECT_EQ(back, "bread");
}

TEST_F(SharedMemoryRanksTest, WhatAnotherJobLeftDoesNoHarm) {
  const std::string rest(std::size_t{1} << 16, '\1');
  ASSERT_EQ(::pwrite(file_, rest.data(), rest.size(), 0), static_cast<ssize_t>(rest.size()));
  std::atomic<std::uint64_t> sum{0};
  run(2, [&](int rank, SharedMemoryRanks& ranks) {
    std::uint64_t number = 1;
    ranks.join({&number, 1}, Join::Sum);
    if (rank == 0) ranks.send(&number, sizeof number, 1);
    if (rank == 1) ranks.receive(&number, sizeof number, 0);
    sum += number;
  });
  EXPECT_EQ(sum, 4u);
  char before = '\0';
  EXPECT_EQ(::pread(file_, &before, 1, kBehindOthers - 1), 1);
  EXPECT_EQ(before, '\1');
}

TEST_F(SharedMemoryRanksTest, WhoWaitsSleepsAndLetsMpiGoOn) {
  calls_for_progress = 0;
  std::array<std::uint64_t, 2> used{};
  run(2, [&](int rank, SharedMemoryRanks& ranks) {
    if (rank == 0) std::this_thread::sleep_for(std::chrono::milliseconds(200));
    const std::uint64_t before = processor_time_of_thread();
    ranks.join({}, Join::Least);
    used[static_cast<std::size_t>(rank)] = processor_time_of_thread() - before;
  });
  EXPECT_GT(calls_for_progress, 10);
  EXPECT_LT(used[1], 50'000'000u);
}

TEST_F(SharedMemoryRanksTest, WithoutRoomThereIsNoPart) {
  ASSERT_EQ(::ftruncate(file_, 4096), 0);
  ASSERT_EQ(::fcntl(file_, F_ADD_SEALS, F_SEAL_GROW), 0);
  SharedMemoryRanks ranks;
  EXPECT_FALSE(ranks.take_part(file_, kBehindOthers, 0, 2));
  ranks.begin(count_progress);
  EXPECT_FALSE(ranks.begun());
}

}  // namespace
}  // namespace waitprof

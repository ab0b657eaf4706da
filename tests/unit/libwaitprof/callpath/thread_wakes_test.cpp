// Which thread ended the wait of another one: who is told what.
//
// SPDX-License-Identifier: BSD-3-Clause
#include "libwaitprof/off_cpu/thread_wakes.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <cerrno>
#include <chrono>
#include <thread>
#include <utility>
#include <vector>

#include "libwaitprof/buffer/recorder.hpp"
#include "libwaitprof/regions/regions.hpp"
#include "tests/unit/libwaitprof/callpath/recorder_fakes.hpp"

namespace waitprof {
namespace {

constexpr std::chrono::milliseconds kLong{2};

[[gnu::noinline]] void signal(const void* object) {
  wake(object, WAITPROF_CALLER, "signal (wakes a thread)");
}

class ThreadWakes : public ::testing::Test {
 protected:
  void SetUp() override { threads_that_called_mpi = 2; }
  void TearDown() override { threads_that_called_mpi = 1; }

  // What another thread learns that waits for `object` and is woken behind `pause`.
  Wake woken_after(std::chrono::milliseconds pause) {
    std::atomic<bool> waits{false}, over{false};
    Wake by;
    std::thread other([&] {
      const test::Recording recording;
      NotedWait wait(&object_);
      waits = true;
      while (!over) std::this_thread::yield();
      by = wait.end();
    });
    while (!waits) std::this_thread::yield();
    std::this_thread::sleep_for(pause);
    errno = EAGAIN;
    signal(&object_);
    EXPECT_EQ(errno, EAGAIN);
    over = true;
    other.join();
    return by;
  }

  const int object_ = 0;
  test::Recording recording_;
};

TEST_F(ThreadWakes, WhoHasWaitedForLongLearnsWhichWakeEndedIt) {
  const Wake by = woken_after(kLong);
  EXPECT_NE(by.number, 0u);
  EXPECT_TRUE(by.by_caller);
  const auto events = recording_.events();
  ASSERT_EQ(events.size(), 3u);
  EXPECT_EQ(events[0].type, EventType::Enter);
  EXPECT_STREQ(user_region(events[0].u.region.region).name, "signal (wakes a thread)");
  EXPECT_EQ(events[1].type, EventType::Leave);
  EXPECT_EQ(events[2].type, EventType::ThreadWakes);
  EXPECT_EQ(events[2].u.thread.number, by.number);
  EXPECT_FALSE(is_waited_for(&object_));
}

// Where calls of MPI would flush the buffer, there is room still.
TEST_F(ThreadWakes, ABufferThatIsToBeFlushedTakesTheWake) {
  this_thread.limit = this_thread.cursor;
  EXPECT_NE(woken_after(kLong).number, 0u);
  EXPECT_EQ(recording_.events().size(), 3u);
}

TEST_F(ThreadWakes, OnlyOneThreadThatCallsMpiTellsNothing) {
  threads_that_called_mpi = 1;
  EXPECT_EQ(woken_after(kLong).number, 0u);
  EXPECT_TRUE(recording_.events().empty());
}

TEST_F(ThreadWakes, NobodyWaits) {
  signal(&object_);
  EXPECT_TRUE(recording_.events().empty());
}

TEST_F(ThreadWakes, AWaitWithoutAWakeHasNone) {
  NotedWait wait(&object_);
  EXPECT_TRUE(is_waited_for(&object_));
  std::this_thread::sleep_for(kLong);
  EXPECT_EQ(wait.end().number, 0u);
  EXPECT_FALSE(is_waited_for(&object_));
}

// As a handler of a signal would do it: its events would lie inside of the call.
TEST_F(ThreadWakes, WhoWaitsItselfTellsNothing) {
  NotedWait wait(&object_);
  std::this_thread::sleep_for(kLong);
  const std::uintptr_t above_all = UINTPTR_MAX;
  this_thread.watched.frame = reinterpret_cast<const std::uintptr_t*>(above_all & ~std::uintptr_t{7});
  signal(&object_);
  this_thread.watched.frame = nullptr;
  EXPECT_EQ(wait.end().number, 0u);
  EXPECT_TRUE(recording_.events().empty());
}

// By longjmp, an exception or cancellation.
TEST_F(ThreadWakes, AWaitThatWasLeftEndsWithTheNextOne) {
  const std::vector<std::uint64_t> others(3000);  // some are noted where object_ was
  for (const std::uint64_t& other : others) {
    NotedWait left(&object_);
    NotedWait next(&other);
    ASSERT_FALSE(is_waited_for(&object_));
    ASSERT_TRUE(is_waited_for(&other));
    ASSERT_EQ(left.end().number, 0u);
    ASSERT_TRUE(is_waited_for(&other));
    next.end();
    ASSERT_FALSE(is_waited_for(&other));
  }
  NotedWait last(&object_);
  forget_wait(this_thread);
  EXPECT_FALSE(is_waited_for(&object_));
}

TEST_F(ThreadWakes, MoreObjectsThanThereArePlaces) {
  constexpr std::size_t kMany = 3000;
  const std::vector<std::uint64_t> objects(kMany);
  std::vector<std::uint32_t> places;
  for (const std::uint64_t& object : objects) {
    const NotedWait wait(&object);
    if (wait.since() != 0)
      places.push_back(std::exchange(this_thread.waits_at, 0));  // as if of another thread
  }
  EXPECT_GT(places.size(), kMany / 6);
  EXPECT_LT(places.size(), kMany);
  for (const std::uint32_t place : places) {
    this_thread.waits_at = place;
    forget_wait(this_thread);
  }
  EXPECT_FALSE(is_waited_for(objects.data()));
}

}  // namespace
}  // namespace waitprof

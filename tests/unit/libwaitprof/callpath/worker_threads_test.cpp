// Threads that never call MPI: which are sampled, where the samples go, and that no thread is harmed.
//
// SPDX-License-Identifier: BSD-3-Clause
#include "libwaitprof/workers/worker_threads.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <pthread.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <csignal>
#include <ctime>
#include <map>
#include <string>
#include <thread>
#include <vector>

#include "libwaitprof/buffer/recorder.hpp"
#include "libwaitprof/callpath/interrupted_stack.hpp"
#include "libwaitprof/sampling/sampling.hpp"
#include "libwaitprof/workers/stack_ring.hpp"
#include "tests/unit/libwaitprof/callpath/recorder_fakes.hpp"

namespace waitprof {

// Not in the unnamed namespace: looked up in the dynamic symbol table.
__attribute__((noinline)) void work_of_thread(const std::atomic<bool>& ended) {
  volatile double x = 1;
  while (!ended.load()) x = x * 1.0000001;
}
// As a watched call of the C library does.
__attribute__((noinline)) void block_caller(std::string_view call) {
  waitprof::block_worker(WAITPROF_CALLER, 1, call);
  asm volatile("");
}
__attribute__((noinline)) void store_results() {
  block_caller("write (results.dat)");
  asm volatile("");
}
__attribute__((noinline)) void start_work(const std::atomic<bool>& ended) {
  work_of_thread(ended);
  asm volatile("");
}

namespace {

using testing::Contains;
using testing::Ge;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::SizeIs;

struct Written {
  ThreadState* location;
  std::uint32_t weight;
  std::vector<std::string> functions;
  std::string call;
};
std::vector<Written> written;
ThreadState places[4];
int places_used = 0;

void write_down(ThreadState*& location, const WorkerSample& sample) noexcept {
  if (location == nullptr) location = &places[places_used++];
  written.push_back({location, sample.weight,
                     test::functions_of(call_path_of_walk(sample.frames, sample.complete)),
                     sample.call != nullptr ? sample.call : ""});
}

class WorkerThreads : public testing::Test {
 protected:
  void SetUp() override {
    written.clear();
    places_used = 0;
    settings.sampling = SamplingMode::Cpu;
    settings.sampling_hz = 1000;
    ASSERT_TRUE(start_call_paths(64));
    leave_workers();
    ASSERT_TRUE(start_sampling(this_thread));
    start_sampling_workers(write_down);
  }
  void TearDown() override {
    stop_workers();
    stop_sampling(this_thread);
    forget_mpi_thread();
  }

  // Runs until there are this many samples, or it takes too long.
  static void sample_until(std::size_t samples) {
    for (int tries = 0; tries < 4000 && written.size() < samples; ++tries) {
      look_for_workers();
      usleep(5000);
      take_worker_samples();
    }
  }

  test::Recording recording_;
};

TEST_F(WorkerThreads, SeesWhatAThreadComputes) {
  std::atomic<bool> ended{false};
  std::thread thread(start_work, std::cref(ended));
  sample_until(20);
  ended = true;
  thread.join();
  ASSERT_THAT(written, SizeIs(Ge(20U)));
  for (const Written& sample : written) {
    EXPECT_THAT(sample.functions, Contains(HasSubstr("work_of_thread")));
    EXPECT_THAT(sample.functions, Contains(HasSubstr("start_work")));
    EXPECT_GE(sample.weight, 1U);
    EXPECT_EQ(sample.location, written.front().location);
  }
}

void compute_until(std::size_t samples) {
  constexpr std::time_t kLongest = 20;
  timespec now{};
  volatile double x = 1;
  do {
    for (int i = 0; i < 100'000; ++i) x = x * 1.0000001;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  } while (written.size() < samples && now.tv_sec < kLongest);
}

// The thread that calls MPI makes no call for a long time: its own ticks tend the others.
TEST_F(WorkerThreads, AreLookedAfterWhileTheThreadThatCallsMpiComputes) {
  written.reserve(100'000);  // written in a handler
  static Event room[2];
  for (ThreadState& place : places) {
    place.cursor = &room[0];
    place.limit = &room[1];
  }
  std::atomic<bool> ended{false};
  std::thread thread(start_work, std::cref(ended));
  sample_until(1);
  const std::size_t before = written.size();
  compute_until(before + 20);
  ended = true;
  thread.join();
  EXPECT_THAT(written, SizeIs(Ge(before + 20)));
  for (ThreadState& place : places) place = {};
}

// The smallest stack that a thread may have, and a frame of its own on it.
TEST_F(WorkerThreads, DoesWithASmallStack) {
  static std::atomic<bool> ended;
  ended = false;
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  ASSERT_EQ(pthread_attr_setstacksize(&attributes, static_cast<std::size_t>(sysconf(_SC_THREAD_STACK_MIN))),
            0);
  pthread_t thread{};
  const auto run = [](void*) -> void* {
    work_of_thread(ended);
    return nullptr;
  };
  ASSERT_EQ(pthread_create(&thread, &attributes, run, nullptr), 0);
  sample_until(20);
  ended = true;
  pthread_join(thread, nullptr);
  pthread_attr_destroy(&attributes);
  EXPECT_THAT(written, SizeIs(Ge(20U)));
}

// One that waits for signals by itself must not find ours among them.
TEST_F(WorkerThreads, LeavesThreadsAloneThatBlockSignals) {
  std::atomic<bool> ended{false}, blocked{false};
  std::thread thread([&] {
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, nullptr);
    blocked = true;
    work_of_thread(ended);
    sigset_t pending;
    sigpending(&pending);
    for (int signal = SIGRTMIN; signal <= SIGRTMAX; ++signal)
      EXPECT_FALSE(sigismember(&pending, signal)) << signal;
  });
  while (!blocked) usleep(100);
  for (int i = 0; i < 20; ++i) {
    look_for_workers();
    usleep(5000);
  }
  ended = true;
  thread.join();
  take_worker_samples();
  EXPECT_THAT(written, IsEmpty());
}

TEST_F(WorkerThreads, GivesThePlaceOfAnEndedThreadToTheNext) {
  for (int i = 0; i < 3; ++i) {
    std::atomic<bool> ended{false};
    std::atomic<pid_t> number{0};
    std::thread thread([&] {
      number = gettid();
      start_work(ended);
    });
    sample_until(written.size() + 5);
    ended = true;
    thread.join();
    const std::string entry = "/proc/self/task/" + std::to_string(number);
    while (access(entry.c_str(), F_OK) == 0)
      usleep(100);  // it is joined a moment before the kernel is done with it
    look_for_workers();
  }
  EXPECT_THAT(written, SizeIs(Ge(15U)));
  for (const Written& sample : written) EXPECT_EQ(sample.location, written.front().location);
}

// With who was blocked, and in what.
TEST_F(WorkerThreads, TellWhereTheyWereBlocked) {
  std::thread thread([] {
    store_results();  // it is not known yet
    ASSERT_TRUE(begin_worker(7, nullptr));
    store_results();
    end_worker(7);
  });
  thread.join();
  take_worker_samples();
  ASSERT_THAT(written, SizeIs(3));  // it begins, is blocked, and ends
  EXPECT_EQ(written[1].call, "write (results.dat)");
  EXPECT_EQ(written[1].weight, 0U);
  EXPECT_THAT(written[1].functions, Contains(HasSubstr("store_results")));
  EXPECT_THAT(written[1].functions, Not(Contains(HasSubstr("block_caller"))));
}

// From then on it records itself, in the same location.
TEST_F(WorkerThreads, StopsWhereAThreadBeginsToCallMpi) {
  std::atomic<bool> ended{false}, calls_mpi{false};
  std::atomic<ThreadState*> taken_over{nullptr};
  std::thread thread([&] {
    start_work(calls_mpi);
    taken_over = leave_workers();
    start_work(ended);
    forget_mpi_thread();
  });
  sample_until(5);
  calls_mpi = true;
  while (taken_over == nullptr) usleep(100);
  const std::size_t before = written.size();
  for (int i = 0; i < 20; ++i) {
    look_for_workers();
    usleep(5000);
    take_worker_samples();
  }
  ended = true;
  thread.join();
  EXPECT_EQ(taken_over, written.front().location);
  EXPECT_EQ(written.size(), before);
}

// Another thread saw it in the list of threads before it said so: it stays one location.
TEST_F(WorkerThreads, CallsMpiAfterItWasFoundAndBeganByItself) {
  std::atomic<bool> begun{false}, found{false};
  std::atomic<ThreadState*> taken_over{nullptr};
  std::thread thread([&] {
    begun = true;
    while (!found) usleep(100);
    ASSERT_TRUE(begin_worker(7, nullptr));
    taken_over = leave_workers();
    forget_mpi_thread();
  });
  while (!begun) usleep(100);
  look_for_workers();
  found = true;
  thread.join();
  take_worker_samples();
  ASSERT_THAT(written, SizeIs(1));  // it begins
  EXPECT_EQ(written.front().location, taken_over);
}

TEST_F(WorkerThreads, EndsWhileItIsSampled) {
  settings.sampling_hz = 10'000;
  for (int i = 0; i < 50; ++i) {
    std::atomic<bool> ended{false};
    std::thread thread(start_work, std::cref(ended));
    look_for_workers();
    usleep(3000);
    ended = true;
    look_for_workers();
    thread.join();
    take_worker_samples();
  }
  EXPECT_EQ(unsampled_workers(), 0U);
}

TEST_F(WorkerThreads, CountsThreadsWithoutAPlace) {
  std::atomic<bool> ended{false};
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < kMostWorkers + 3; ++i)
    threads.emplace_back([&ended] {
      while (!ended) usleep(1000);
    });
  // On a busy machine the last threads may not have begun yet.
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(10);
  while (unsampled_workers() < 3 && std::chrono::steady_clock::now() < deadline) {
    look_for_workers();
    usleep(1000);
  }
  ended = true;
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(unsampled_workers(), 3U);
}

using SmallRing = StackRing<16, 6>;

SmallRing::Stack stack_of(std::uint64_t time, std::initializer_list<std::uintptr_t> frames) {
  SmallRing::Stack stack;
  stack.time = time;
  stack.weight = 2;
  stack.complete = true;
  for (const std::uintptr_t frame : frames) stack.frames[stack.count++] = reinterpret_cast<void*>(frame);
  return stack;
}

TEST(StackRing, GivesBackWhatWasPutInItsOrder) {
  SmallRing ring;
  const std::vector<SmallRing::Stack> stacks = {
      stack_of(1, {9, 2, 1}),       stack_of(2, {8, 7, 2, 1}), stack_of(3, {5, 1}), stack_of(4, {5, 1}),
      stack_of(5, {6, 4, 3, 2, 1}), stack_of(6, {3}),          stack_of(7, {4, 3})};
  for (int round = 0; round < 5; ++round) {
    for (const SmallRing::Stack& stack : stacks) {
      ASSERT_TRUE(ring.put(stack));
      const SmallRing::Stack* const taken = ring.take();
      ASSERT_NE(taken, nullptr);
      EXPECT_EQ(taken->time, stack.time);
      EXPECT_EQ(taken->weight, 2U);
      EXPECT_TRUE(taken->complete);
      EXPECT_TRUE(std::ranges::equal(taken->stack(), stack.stack())) << stack.time;
    }
  }
  EXPECT_EQ(ring.take(), nullptr);
}

TEST(StackRing, TakesNothingWithoutRoom) {
  SmallRing ring;
  EXPECT_TRUE(ring.put(stack_of(1, {1, 2, 3, 4, 5})));  // 7 words
  EXPECT_TRUE(ring.put(stack_of(2, {9, 8, 3, 4, 5})));  // 4 more
  EXPECT_FALSE(ring.put(stack_of(3, {1, 2, 3, 4, 6})));
  EXPECT_EQ(ring.take()->time, 1U);
  EXPECT_TRUE(ring.put(stack_of(4, {1, 2, 3, 4, 6})));
  EXPECT_EQ(ring.take()->time, 2U);
  EXPECT_EQ(ring.take()->time, 4U);
  EXPECT_EQ(ring.take(), nullptr);
}

}  // namespace
}  // namespace waitprof

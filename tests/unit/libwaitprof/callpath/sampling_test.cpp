// What the sampler records: the call path of the computation, weighted by the number of periods; nothing
// inside MPI. It never hangs, wherever it interrupts.
//
// SPDX-License-Identifier: BSD-3-Clause
#include "libwaitprof/sampling/sampling.hpp"

#include <dlfcn.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <time.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <csignal>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "libwaitprof/buffer/recorder.hpp"
#include "libwaitprof/regions/open_regions.hpp"
#include "tests/unit/libwaitprof/callpath/recorder_fakes.hpp"

namespace waitprof {
namespace {

using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;
using testing::Ge;
using testing::Le;

void sample_at(SamplingMode mode, int hz) {
  settings.sampling = mode;
  settings.sampling_hz = hz;
  ASSERT_TRUE(start_call_paths(64));
  ASSERT_TRUE(start_sampling(this_thread));
}

// Sampled periods in which a function was on the stack.
std::uint32_t periods_in(const test::Recording& recording, const std::string& function) {
  std::uint32_t periods = 0;
  for (const Event& sample : recording.samples())
    for (const std::string& name : test::functions_of(sample.u.sample.call_path))
      if (name.find(function) != std::string::npos) {
        periods += sample.u.sample.weight;
        break;
      }
  return periods;
}

double thread_seconds() {
  timespec time{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

}  // namespace

// Not in the unnamed namespace: their names are looked up in the dynamic symbol table.
__attribute__((noinline)) void compute_a(double seconds) {
  const double end = thread_seconds() + seconds;
  volatile double x = 1;
  while (thread_seconds() < end)
    for (int i = 0; i < 2000; ++i) x = x * 1.0000001;
}
__attribute__((noinline)) void compute_b(double seconds) {
  compute_a(seconds);
  asm volatile("");
}
__attribute__((noinline)) void sleep_a(std::chrono::nanoseconds duration) {
  std::this_thread::sleep_until(Clock::now() + duration);
  asm volatile("");
}
__attribute__((noinline)) void sleep_b(std::chrono::nanoseconds duration) {
  sleep_a(duration);
  asm volatile("");
}

namespace {

class Sampling : public testing::Test {
 protected:
  void TearDown() override { stop_sampling(this_thread); }
  test::Recording recording_;
};

// Linux checks CPU timers when its clock interrupt hits the thread: on a busy machine ticks come late, and in
// bunches. So the counts have to be right in only one of a few attempts.
template <typename Attempt>
bool is_right_once(const Attempt& attempt) {
  constexpr int kAttempts = 5;
  for (int i = 0; i < kAttempts; ++i)
    if (attempt()) return true;
  return false;
}

TEST(SamplingOfComputation, SeesItInCpuMode) {
  std::uint32_t periods = 0, in_b = 0;
  const auto attempt = [&] {
    test::Recording recording;
    sample_at(SamplingMode::Cpu, 100);
    compute_a(0.3);
    compute_b(0.1);
    stop_sampling(this_thread);  // evaluating samples takes time, too
    periods = recording.sampled_periods();
    in_b = periods_in(recording, "compute_b");
    EXPECT_EQ(periods_in(recording, "compute_a"), periods);
    return periods >= 28 && periods <= 41 && in_b >= 1 && in_b <= 20;
  };
  EXPECT_TRUE(is_right_once(attempt)) << periods << " periods, not 40; " << in_b << " in compute_b, not 10";
}

TEST_F(Sampling, SeesNothingOfASleepInCpuMode) {
  sample_at(SamplingMode::Cpu, 1000);
  sleep_a(200ms);
  EXPECT_THAT(recording_.sampled_periods(), Le(8U));  // one clock tick of the kernel
}

TEST_F(Sampling, SeesSleepsInWallMode) {
  sample_at(SamplingMode::Wall, 100);
  const auto begin = Clock::now();
  sleep_a(300ms);
  const auto middle = Clock::now();
  sleep_b(100ms);
  const std::chrono::duration<double, std::centi> both = Clock::now() - begin, second = Clock::now() - middle;
  EXPECT_NEAR(periods_in(recording_, "sleep_a"), both.count(), 3);
  EXPECT_NEAR(periods_in(recording_, "sleep_b"), second.count(), 2);
}

// Absolute sleeps, one after another, as in an emulated computation.
__attribute__((noinline)) void sleep_until(timespec& deadline, long milliseconds) {
  deadline.tv_nsec += milliseconds * 1'000'000;
  deadline.tv_sec += deadline.tv_nsec / 1'000'000'000;
  deadline.tv_nsec %= 1'000'000'000;
  EXPECT_EQ(clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &deadline, nullptr), 0);
}

}  // namespace

__attribute__((noinline)) void slow_part(timespec& deadline) {
  sleep_until(deadline, 30);
  asm volatile("");
}
__attribute__((noinline)) void fast_part(timespec& deadline) {
  sleep_until(deadline, 10);
  asm volatile("");
}

namespace {

TEST_F(Sampling, DividesEmulatedComputationByItsLength) {
  sample_at(SamplingMode::Wall, 1000);
  timespec deadline{};
  clock_gettime(CLOCK_MONOTONIC, &deadline);
  // A busy machine wakes us late, which lengthens one part and shortens the next: so each is timed.
  std::chrono::duration<double, std::milli> slow{}, fast{};
  for (int i = 0; i < 10; ++i) {
    const auto begin = Clock::now();
    slow_part(deadline);
    const auto middle = Clock::now();
    fast_part(deadline);
    slow += middle - begin;
    fast += Clock::now() - middle;
  }
  EXPECT_NEAR(periods_in(recording_, "slow_part"), slow.count(), 10);
  EXPECT_NEAR(periods_in(recording_, "fast_part"), fast.count(), 10);
}

TEST_F(Sampling, StampsSamplesInOrder) {
  sample_at(SamplingMode::Wall, 1000);
  sleep_a(50ms);
  std::uint64_t last = 0;
  for (const Event& sample : recording_.samples()) {
    EXPECT_GE(sample.time, last);
    last = sample.time;
  }
  EXPECT_LE(last, now());
}

TEST_F(Sampling, KeepsOutOfMpiOfPausesAndOfTheRecorder) {
  sample_at(SamplingMode::Wall, 1000);
  this_thread.mpi_depth = 1;
  sleep_a(30ms);
  this_thread.mpi_depth = 0;
  this_thread.busy = 1;
  sleep_a(30ms);
  recorder_state = RecorderState::Paused;
  this_thread.busy = 0;
  sleep_a(30ms);
  EXPECT_THAT(recording_.sampled_periods(), Le(4U));  // a tick may fall between the lines
}

// Inside MPI nothing is recorded, but its system calls are repaired all the same.
TEST_F(Sampling, RepairsSystemCallsInsideMpiToo) {
  sample_at(SamplingMode::Wall, 1000);
  this_thread.mpi_depth = 1;
  const timespec duration{.tv_sec = 0, .tv_nsec = 50'000'000};
  EXPECT_EQ(nanosleep(&duration, nullptr), 0);
  this_thread.mpi_depth = 0;
}

TEST_F(Sampling, LeavesCompilerRegionsAlone) {
  sample_at(SamplingMode::Cpu, 1000);
  enter_function(0x1234);
  const std::size_t before =
      recording_.samples().size();  // on a busy machine one may come before the function
  compute_a(0.05);
  const std::size_t after = recording_.samples().size();
  leave_function(0x1234);
  EXPECT_EQ(before, after);
  enter_region("by hand");
  const std::uint32_t before_region = recording_.sampled_periods();
  for (int i = 0; i < 40 && recording_.sampled_periods() == before_region; ++i) compute_a(0.05);
  leave_region("by hand");
  EXPECT_GT(recording_.sampled_periods(), before_region);
}

TEST(SamplingOfALittleBuffer, LeavesRoomForOtherEvents) {
  test::Recording recording(2048);
  sample_at(SamplingMode::Wall, 10000);
  while (this_thread.left_out.dropped_samples < 10) sched_yield();
  stop_sampling(this_thread);
  EXPECT_EQ(recording.events().size(), 1024U);
  EXPECT_EQ(test::flush_count(), 0);
  this_thread.left_out.dropped_samples = 0;
}

// A program with an alternate signal stack of the traditional 8 KiB: too little for a walk, so the samples
// are dropped.
TEST(SamplingOnALittleStack, DropsSamplesInsteadOfOverrunningIt) {
  constexpr std::size_t kTraditional = 8192;
  std::vector<char> memory(2 * kTraditional, 'x');
  stack_t before{};
  const stack_t little{.ss_sp = memory.data() + kTraditional, .ss_flags = 0, .ss_size = kTraditional};
  if (sigaltstack(&little, &before) != 0)
    GTEST_SKIP() << "this processor's registers do not fit on such a stack";
  {
    test::Recording recording;
    sample_at(SamplingMode::Wall, 1000);
    while (this_thread.left_out.dropped_samples < 10) sched_yield();
    stop_sampling(this_thread);
    EXPECT_EQ(recording.sampled_periods(), 0U);
  }
  sigaltstack(&before, nullptr);
  EXPECT_EQ(std::count(memory.begin(), memory.begin() + kTraditional, 'x'), static_cast<long>(kTraditional));
  this_thread.left_out.dropped_samples = 0;
}

TEST(SamplingOff, NeedsNoTimer) {
  settings.sampling = SamplingMode::Off;
  EXPECT_FALSE(start_sampling(this_thread));
  EXPECT_EQ(this_thread.sampler_timer, nullptr);
}

TEST(SamplingOfThreads, GivesEachItsOwn) {
  const auto sampled_periods = [](double seconds) {
    std::uint32_t periods = 0;
    std::thread thread([&] {
      test::Recording recording;
      sample_at(SamplingMode::Cpu, 100);
      compute_a(seconds);
      stop_sampling(this_thread);
      periods = recording.sampled_periods();
    });
    thread.join();
    return periods;
  };
  std::uint32_t longer = 0, shorter = 0;
  const auto attempt = [&] {
    longer = sampled_periods(0.3);
    shorter = sampled_periods(0.1);
    return longer >= 18 && longer <= 31 && shorter >= 3 && shorter <= 11;
  };
  EXPECT_TRUE(is_right_once(attempt)) << longer << " and " << shorter << " periods, not 30 and 10";
}

// Memory, exceptions and loaded libraries are where an unwinder in a signal handler can deadlock.
TEST(SamplingEverywhere, NeverHangs) {
  std::atomic<std::uint32_t> periods{0};
  const auto torture = [&periods] {
    test::Recording recording;
    sample_at(SamplingMode::Wall, 5000);
    const auto end = Clock::now() + 500ms;
    std::map<int, std::unique_ptr<std::string>> memory;
    for (int i = 0; Clock::now() < end; ++i) {
      memory[i % 100] = std::make_unique<std::string>(static_cast<std::size_t>(i % 5000), 'x');
      try {
        throw std::runtime_error("one more");
      } catch (const std::runtime_error&) {
      }
      if (void* const library = dlopen("libgfortran.so.5", RTLD_NOW | RTLD_LOCAL)) dlclose(library);
      if (void* const library = dlopen("libBrokenLocale.so.1", RTLD_NOW | RTLD_LOCAL)) dlclose(library);
    }
    stop_sampling(this_thread);
    periods += recording.sampled_periods();
  };
  std::thread first(torture), second(torture);
  first.join();
  second.join();
  EXPECT_THAT(periods.load(), Ge(1000U));
}

}  // namespace
}  // namespace waitprof

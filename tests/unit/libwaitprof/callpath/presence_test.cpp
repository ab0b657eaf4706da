// When a thread was off the processor, as the kernel of this machine reports it.
//
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <chrono>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <thread>
#include <vector>

#include "libwaitprof/presence/presence.hpp"
#include "libwaitprof/presence/switch_ring.hpp"
#include "libwaitprof/schema/switch_events.hpp"
#include "libwaitprof/settings/settings.hpp"
#include "libwaitprof/surroundings/used_time.hpp"
#include "tests/unit/libwaitprof/callpath/recorder_fakes.hpp"

namespace waitprof {
namespace {

using namespace std::chrono_literals;

constexpr std::uint64_t kMillisecond = 1'000'000;

bool kernel_tells_switches() {
  const int descriptor = schema::open_switches_of_this_thread();
  if (descriptor >= 0) ::close(descriptor);
  return descriptor >= 0;
}

void compute(std::uint64_t nanoseconds) {
  const std::uint64_t end = processor_time_of_thread() + nanoseconds;
  while (processor_time_of_thread() < end) {
  }
}

// How long this thread has waited for a processor, in ns, as the scheduler sums it up. Not: time off the processor
// by clocks, which also has interrupts and what a virtual machine's host took.
std::uint64_t waited_for_a_processor() {
  std::uint64_t ran = 0, waited = 0;
  std::ifstream("/proc/thread-self/schedstat") >> ran >> waited;
  return waited;
}

class PresenceTest : public ::testing::Test {
 protected:
  void TearDown() override {
    stop_presence(this_thread);
    settings.off_processor = PresenceSource::Switches;
  }

  void watch(PresenceSource source) {
    settings.off_processor = source;
    start_presence(this_thread);
    record_presence(this_thread, now());
  }

  struct Off {
    std::uint64_t time = 0, events = 0, turns = 0;
  };
  Off recorded(OffReason reason) {
    record_presence(this_thread, now());
    Off sum;
    for (const Event& event : recording_.events()) {
      if (event.type != EventType::OffProcessor ||
          event.u.off_processor.reason != static_cast<std::uint32_t>(reason))
        continue;
      sum.time += event.u.off_processor.time;
      sum.turns += event.u.off_processor.turns;
      ++sum.events;
    }
    return sum;
  }
  std::uint64_t told_source() {
    record_presence(this_thread, now());
    const Event& first = recording_.events().front();
    return first.type == EventType::Presence ? first.u.step : 0;
  }

  test::Recording recording_{8192};
};

class PresenceBySwitches : public PresenceTest {
 protected:
  void SetUp() override {
    if (!kernel_tells_switches()) GTEST_SKIP() << "this kernel does not tell switches";
    watch(PresenceSource::Switches);
  }
};

TEST_F(PresenceBySwitches, ASleepIsOneBlockedIntervalOfItsLength) {
  EXPECT_EQ(told_source(), 2u);
  const std::uint64_t begin = now();
  std::this_thread::sleep_for(30ms);
  const std::uint64_t end = now();
  record_presence(this_thread, end);
  const Event* longest = nullptr;
  for (const Event& event : recording_.events())
    if (event.type == EventType::OffProcessor && event.u.off_processor.time >= 25 * kMillisecond)
      longest = &event;
  ASSERT_NE(longest, nullptr);
  EXPECT_EQ(longest->u.off_processor.reason, static_cast<std::uint32_t>(OffReason::Blocked));
  EXPECT_EQ(longest->u.off_processor.turns, 0u);
  EXPECT_LE(longest->time, end);
  EXPECT_GE(longest->time - longest->u.off_processor.time, begin);
}

TEST_F(PresenceBySwitches, ANeighbourOnTheSameProcessorTakesItAway) {
  cpu_set_t allowed, one;
  ASSERT_EQ(sched_getaffinity(0, sizeof allowed, &allowed), 0);
  CPU_ZERO(&one);
  CPU_SET(sched_getcpu(), &one);
  ASSERT_EQ(sched_setaffinity(0, sizeof one, &one), 0);
  std::atomic<bool> done{false};
  std::thread neighbour([&done] {
    while (!done) {
    }
  });
  const std::uint64_t before = waited_for_a_processor();
  compute(60 * kMillisecond);
  const std::uint64_t waited = waited_for_a_processor() - before;
  const Off preempted = recorded(OffReason::Preempted);
  done = true;
  neighbour.join();
  sched_setaffinity(0, sizeof allowed, &allowed);
  EXPECT_GT(preempted.events, 0u);
  if (waited == 0) GTEST_SKIP() << "the kernel does not say how long a thread waits for a processor";
  EXPECT_NEAR(static_cast<double>(preempted.time), static_cast<double>(waited),
              0.1 * static_cast<double>(waited));
}

TEST_F(PresenceBySwitches, WhatFillsTheRingIsUnknownAndThenKnownInSums) {
  timespec shortest{0, 1};
  for (int i = 0; i < 1000; ++i) nanosleep(&shortest, nullptr);
  EXPECT_EQ(recorded(OffReason::Unknown).events, 1u);
  const Off before = recorded(OffReason::Blocked);
  std::this_thread::sleep_for(20ms);
  const Off after = recorded(OffReason::Blocked);
  EXPECT_GE(after.time - before.time, 19 * kMillisecond);
  EXPECT_GT(after.turns, before.turns);
}

// MPI that sleeps between its polls leaves room for what the program waits for.
TEST_F(PresenceBySwitches, OfAnMpiCallOnlySumsAreKept) {
  record_presence(this_thread, now());
  const timespec nap{0, 30'000};
  for (int i = 0; i < 250; ++i) nanosleep(&nap, nullptr);
  record_presence(this_thread, now(), PresenceOf::MpiCall);
  EXPECT_TRUE(has_room_for_intervals(this_thread, now()));
  const Off inside = recorded(OffReason::Blocked);
  EXPECT_LE(inside.events, 2u);
  EXPECT_GE(inside.turns, 250u);
  EXPECT_GE(inside.time, 7 * kMillisecond);
}

TEST_F(PresenceBySwitches, NoDescriptorStaysOpen) {
  const auto open_files = [] {
    const std::filesystem::directory_iterator files("/proc/self/fd");
    return std::distance(begin(files), end(files));
  };
  const auto with = open_files();
  stop_presence(this_thread);
  EXPECT_EQ(open_files(), with);
}

TEST_F(PresenceBySwitches, WhatLiesInAPauseIsNotRecorded) {
  std::this_thread::sleep_for(20ms);
  skip_presence(this_thread);
  EXPECT_LT(recorded(OffReason::Blocked).time, 10 * kMillisecond);
}

TEST_F(PresenceTest, ClocksTellHowLongAThreadWasBlocked) {
  watch(PresenceSource::Sums);
  EXPECT_EQ(told_source(), 1u);
  compute(2 * kMillisecond);
  std::this_thread::sleep_for(20ms);
  const Off blocked = recorded(OffReason::Blocked), unknown = recorded(OffReason::Unknown);
  EXPECT_GE(blocked.time + unknown.time, 19 * kMillisecond);
  EXPECT_GT(blocked.turns + unknown.turns, 0u);
}

// At most one pair of counts in five microseconds.
TEST_F(PresenceTest, CountersAreReadWithEveryRecord) {
  settings.test_counters = {2, 1};
  watch(PresenceSource::Sums);
  compute(kMillisecond);
  record_presence(this_thread, now());
  record_presence(this_thread, now());
  stop_presence(this_thread);
  settings.test_counters = {};
  std::vector<Event> counts;
  for (const Event& event : recording_.events())
    if (event.type == EventType::Counters) counts.push_back(event);
  ASSERT_GE(counts.size(), 2u);
  for (std::size_t i = 1; i < counts.size(); ++i) EXPECT_GE(counts[i].time - counts[i - 1].time, 5000u);
  const CounterData &first = counts.front().u.counters, &last = counts.back().u.counters;
  const std::uint64_t cycles = last.cycles - first.cycles;
  EXPECT_GE(cycles, kMillisecond);
  EXPECT_NEAR(static_cast<double>(last.instructions - first.instructions), 2.0 * static_cast<double>(cycles),
              4);
}

// Calls of the C library that did not wait compare the ring alone: they come far more often than MPI calls.
TEST_F(PresenceTest, CountersDoNotMakeNewsForCallsThatDidNotWait) {
  settings.test_counters = {2, 1};
  watch(PresenceSource::Sums);
  record_presence(this_thread, now());
  const bool without_time = has_presence_news(this_thread, 0);
  const bool soon = has_presence_news(this_thread, now() + 10'000);
  stop_presence(this_thread);
  settings.test_counters = {};
  EXPECT_FALSE(without_time);
  EXPECT_TRUE(soon);
}

TEST_F(PresenceTest, NothingIsRecordedWhereItIsOff) {
  watch(PresenceSource::None);
  std::this_thread::sleep_for(1ms);
  record_presence(this_thread, now());
  EXPECT_TRUE(recording_.events().empty());
}

// As containers do (EPERM), and kernels with a high perf_event_paranoid (EACCES).
void refuse_perf_events(unsigned error) {
  std::array<sock_filter, 4> program{{
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_perf_event_open, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | error),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  }};
  const sock_fprog filter{program.size(), program.data()};
  prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
  prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter);
}

TEST_F(PresenceTest, ClocksStandInWhereTheKernelRefuses) {
  const auto told = [this](unsigned error) {
    refuse_perf_events(error);
    watch(PresenceSource::Switches);
    std::_Exit(static_cast<int>(told_source()));
  };
  for (const unsigned error : {1U * EPERM, 1U * EACCES, 1U * ENOSYS, 1U * EMFILE})
    EXPECT_EXIT(told(error), ::testing::ExitedWithCode(1), "");
}

// A ring as the kernel would fill it.
class SwitchRingTest : public ::testing::Test {
 protected:
  SwitchRingTest() { ring_.use(pages_.data()); }

  void put(std::uint32_t type, std::uint16_t misc, std::uint64_t time, std::uint64_t lost = 0) {
    const bool tells_lost = type == PERF_RECORD_LOST;
    const perf_event_header header{type, misc, static_cast<std::uint16_t>(tells_lost ? 40 : 24)};
    put_bytes(&header, sizeof header);
    const std::array<std::uint64_t, 2> loss{7, lost};
    if (tells_lost) put_bytes(loss.data(), sizeof loss);
    const std::array<std::uint64_t, 2> trailer{time, kProcessor};
    put_bytes(trailer.data(), sizeof trailer);
  }
  Switch take() {
    Switch next;
    EXPECT_TRUE(ring_.peek(next));
    ring_.pass();
    ring_.give_back();
    return next;
  }

  static constexpr std::uint32_t kProcessor = 3;
  SwitchRing ring_;

 private:
  void put_bytes(const void* bytes, std::size_t count) {
    auto& head = reinterpret_cast<perf_event_mmap_page*>(pages_.data())->data_head;
    for (std::size_t i = 0; i < count; ++i, ++head)
      pages_[SwitchRing::kPage + head % SwitchRing::kDataBytes] = static_cast<const std::byte*>(bytes)[i];
  }
  alignas(SwitchRing::kPage) std::array<std::byte, SwitchRing::kPage + SwitchRing::kDataBytes> pages_{};
};

TEST_F(SwitchRingTest, APageFaultIsANoteOfItsOwn) {
  put(PERF_RECORD_SAMPLE, PERF_RECORD_MISC_USER, 7);
  const Switch next = take();
  EXPECT_EQ(next.what, Switch::What::PageFault);
  EXPECT_EQ(next.time, 7u);
}

TEST_F(SwitchRingTest, NotesAreReadInOrderAlsoAcrossTheEndOfTheMemory) {
  const std::uint64_t notes = 2 * SwitchRing::kDataBytes / 24;
  for (std::uint64_t i = 0; i < notes; ++i) {
    put(PERF_RECORD_SWITCH, i % 2 == 0 ? PERF_RECORD_MISC_SWITCH_OUT : 0, i);
    const Switch next = take();
    EXPECT_EQ(next.time, i);
    EXPECT_EQ(next.processor, kProcessor);
    EXPECT_EQ(next.what, i % 2 == 0 ? Switch::What::Blocked : Switch::What::Back);
  }
  Switch none;
  EXPECT_FALSE(ring_.peek(none));
}

TEST_F(SwitchRingTest, APreemptionIsTold) {
  put(PERF_RECORD_SWITCH, PERF_RECORD_MISC_SWITCH_OUT | PERF_RECORD_MISC_SWITCH_OUT_PREEMPT, 5);
  EXPECT_EQ(take().what, Switch::What::Preempted);
}

TEST_F(SwitchRingTest, LostNotesAreCounted) {
  put(PERF_RECORD_LOST, 0, 5, 12);
  const Switch lost = take();
  EXPECT_EQ(lost.what, Switch::What::Lost);
  EXPECT_EQ(lost.lost, 12u);
}

TEST_F(SwitchRingTest, ItIsFullWhenNoNoteFits) {
  EXPECT_FALSE(ring_.is_full());
  while (!ring_.is_full()) put(PERF_RECORD_SWITCH, 0, 1);
  take();
  take();
  take();
  EXPECT_FALSE(ring_.is_full());
}

}  // namespace
}  // namespace waitprof

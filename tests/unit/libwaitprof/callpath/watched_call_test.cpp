// Calls of the C library in which a thread may wait: which of them are recorded, and how.
//
// SPDX-License-Identifier: BSD-3-Clause
#include "libwaitprof/off_cpu/watched_call.hpp"

#include <gtest/gtest.h>
#include <sys/eventfd.h>
#include <sys/inotify.h>
#include <unistd.h>

#include <cerrno>
#include <string>
#include <vector>

#include "libwaitprof/off_cpu/blocking_calls.hpp"
#include "libwaitprof/presence/presence.hpp"
#include "libwaitprof/regions/regions.hpp"
#include "libwaitprof/settings/settings.hpp"
#include "tests/unit/libwaitprof/callpath/recorder_fakes.hpp"

namespace waitprof {
namespace {

constexpr std::uint64_t kOneMillisecond = 1'000'000;
constexpr int kSleepOf = 20;  // ms

class WatchedCallTest : public ::testing::TestWithParam<PresenceSource> {
 protected:
  void SetUp() override {
    settings.off_processor = GetParam();
    start_presence(this_thread);
    record_presence(this_thread, now());
  }
  void TearDown() override {
    stop_presence(this_thread);
    settings.off_processor = PresenceSource::Switches;
    this_thread.watched = {};
  }

  std::vector<Event> of_type(EventType type) const {
    std::vector<Event> found;
    for (const Event& event : recording_.events())
      if (event.type == type) found.push_back(event);
    return found;
  }

  test::Recording recording_;
};

// As a wrapper would do it.
[[gnu::noinline]] void sleep_watched(int milliseconds, std::uint64_t bytes) {
  CallWatch watch(WAITPROF_CALLER, 0, -1);
  if (milliseconds > 0) ::usleep(static_cast<useconds_t>(1000 * milliseconds));
  errno = EAGAIN;
  if (watch.end()) watch.write(bytes, nullptr);
}

[[gnu::noinline]] void sleep_watched_within(int milliseconds) {
  CallWatch watch(WAITPROF_CALLER, 1, -1);
  sleep_watched(milliseconds, 0);
  if (watch.end()) watch.write(0, nullptr);
}

TEST_P(WatchedCallTest, AWaitIsARegionWithItsBytes) {
  sleep_watched(kSleepOf, 4096);
  EXPECT_EQ(errno, EAGAIN);
  const std::vector<Event> enter = of_type(EventType::Enter), leave = of_type(EventType::Leave);
  ASSERT_EQ(enter.size(), 1u);
  ASSERT_EQ(leave.size(), 1u);
  EXPECT_EQ(enter[0].u.region.region, leave[0].u.region.region);
  const UserRegion region = user_region(enter[0].u.region.region);
  EXPECT_EQ(region.name, name_of_blocking_call(0));
  EXPECT_TRUE(region.of_library);
  EXPECT_GE(leave[0].time - enter[0].time, kSleepOf * kOneMillisecond * 9 / 10);
  std::uint64_t blocked = 0;
  for (const Event& off : of_type(EventType::OffProcessor)) {
    // Before the call another program may have had the processor, or a page may have been waited for.
    const bool in_region = off.time >= enter[0].time && off.time <= leave[0].time;
    if (in_region && off.u.off_processor.reason == static_cast<std::uint32_t>(OffReason::Blocked))
      blocked += off.u.off_processor.time;
  }
  EXPECT_GE(blocked, kSleepOf * kOneMillisecond * 9 / 10);
  const std::vector<Event> bytes = of_type(EventType::FileBytes);
  ASSERT_EQ(bytes.size(), 1u);
  EXPECT_EQ(bytes[0].u.message.bytes, 4096u);
}

TEST_P(WatchedCallTest, WhatADescriptorStandsForIsNamed) {
  imports_of_blocking_calls(Watched::All);  // names are asked for
  for (const int descriptor : {eventfd(0, 0), inotify_init1(0)}) {
    CallWatch watch(WAITPROF_CALLER, 0, descriptor);
    ::usleep(1000 * kSleepOf);
    if (watch.end()) watch.write(8, nullptr);
    close(descriptor);
  }
  const std::vector<Event> enter = of_type(EventType::Enter);
  ASSERT_EQ(enter.size(), 2u);
  const std::string call(name_of_blocking_call(0));
  EXPECT_EQ(user_region(enter[0].u.region.region).name, call + " (eventfd)");
  EXPECT_EQ(user_region(enter[1].u.region.region).name, call + " (inotify)");
}

TEST_P(WatchedCallTest, WhatDoesNotWaitLeavesNothing) {
  for (int i = 0; i < 1000; ++i) sleep_watched(0, 1);
  EXPECT_TRUE(of_type(EventType::Enter).empty());
}

TEST_P(WatchedCallTest, OfCallsInsideOfOneAnotherTheOuterOneIsNamed) {
  sleep_watched_within(kSleepOf);
  const std::vector<Event> enter = of_type(EventType::Enter);
  ASSERT_EQ(enter.size(), 1u);
  EXPECT_EQ(user_region(enter[0].u.region.region).name, name_of_blocking_call(1));
}

TEST_P(WatchedCallTest, InsideOfMpiAndOfTheRecorderNothingIsWatched) {
  ++this_thread.mpi_depth;
  sleep_watched(1, 0);
  --this_thread.mpi_depth;
  this_thread.busy = 1;
  sleep_watched(1, 0);
  this_thread.busy = 0;
  EXPECT_TRUE(of_type(EventType::Enter).empty());
}

[[gnu::noinline]] bool sleep_until_a_tick(int milliseconds) {
  CallWatch watch(WAITPROF_CALLER, 0, -1);
  ::usleep(static_cast<useconds_t>(1000 * milliseconds));
  const bool keeps_out = note_watched(this_thread, now());
  if (watch.end()) watch.write(0, nullptr);
  return keeps_out;
}

// Clocks tell no intervals: a sample amid the wait would leave the time before it to computation.
TEST_P(WatchedCallTest, WhereClocksTellASampleDoesNotCutIt) {
  EXPECT_EQ(sleep_until_a_tick(kSleepOf), GetParam() == PresenceSource::Sums);
  const std::vector<Event> enter = of_type(EventType::Enter), leave = of_type(EventType::Leave);
  ASSERT_FALSE(enter.empty());
  EXPECT_GE(leave.back().time - enter.front().time, kSleepOf * kOneMillisecond * 9 / 10);
}

// Left by longjmp: the address of its frame means nothing any more once the stack is shorter.
TEST_P(WatchedCallTest, OneThatWasLeftDoesNotHideTheNext) {
  std::uintptr_t deeper = 0;
  this_thread.watched.frame = &deeper - 4096;
  sleep_watched(kSleepOf, 0);
  EXPECT_EQ(of_type(EventType::Enter).size(), 1u);
}

INSTANTIATE_TEST_SUITE_P(Sources, WatchedCallTest,
                         ::testing::Values(PresenceSource::Switches, PresenceSource::Sums));

}  // namespace
}  // namespace waitprof

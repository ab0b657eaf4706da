// WAITPROF_PROFILE=light: which excerpts are kept, the totals of calls, and that both are right between
//excerpts.
//
// SPDX-License-Identifier: BSD-3-Clause
#include <memory>
#include <vector>

#include "libwaitprof/hooks/light.hpp"
#include "libwaitprof/lifecycle/recording.hpp"
#include "libwaitprof/threads/excerpts.hpp"
#include "tests/unit/libwaitprof/hooks/recorder_fixture.hpp"

namespace waitprof {
namespace {

using crash_safe::kMostExcerpts;
using crash_safe::kNoExcerpt;
using testing::Contains;
using testing::IsEmpty;
using testing::Not;

// The excerpts that are left of a run with this many marks, in order.
std::vector<std::uint64_t> kept_after(std::uint64_t marks, bool steps) {
  ExcerptSchedule schedule;
  std::vector<std::uint64_t> seen;
  for (std::uint64_t mark = 0; mark < marks; ++mark) {
    const std::uint64_t number = schedule.next(steps);
    if (number != kNoExcerpt && (seen.empty() || seen.back() != number)) {
      seen.push_back(number);
    }
  }
  std::erase_if(seen, [&](std::uint64_t number) { return !schedule.keeps(number); });
  return seen;
}

TEST(ExcerptSchedule, ShortRunsAreWhole) {
  EXPECT_EQ(kept_after(2, true).size(), 1u);
  EXPECT_EQ(kept_after(32, true).size(), 16u);
}

TEST(ExcerptSchedule, LongOnesAreSeenAsOften) {
  for (const std::uint64_t marks : {33, 40, 64, 65, 1000, 4096, 100'000}) {
    for (const bool steps : {false, true}) {
      const auto kept = kept_after(marks, steps);
      EXPECT_LE(kept.size(), kMostExcerpts) << marks;
      if (steps || marks > 512) {
        EXPECT_GE(kept.size(), kMostExcerpts / 2) << marks;
      }
      for (std::size_t i = 2; i < kept.size(); ++i) {
        EXPECT_EQ(kept[i] - kept[i - 1], kept[1] - kept[0]) << marks;
      }
    }
  }
}

TEST(ExcerptSchedule, StepsReplaceCollectives) {
  ExcerptSchedule schedule;
  const std::uint64_t of_collectives = schedule.next(false);
  EXPECT_TRUE(schedule.keeps(of_collectives));
  const std::uint64_t of_steps = schedule.next(true);
  EXPECT_NE(of_steps, of_collectives);
  EXPECT_FALSE(schedule.keeps(of_collectives));
  EXPECT_EQ(schedule.next(false), of_steps) << "collectives do not count any more";
  EXPECT_TRUE(schedule.keeps(kFirstExcerpt));
}

TEST(CallTotals, CountByCallPathAndFunction) {
  const auto totals = std::make_unique<CallTotals>();
  add_call(totals->of(7, 3), 40);
  add_call(totals->of(7, 3), 10);
  add_call(totals->of(7, 4), 99);
  const CallTotal& row = totals->of(7, 3);
  EXPECT_EQ(row.calls, 2u);
  EXPECT_EQ(row.time, 50u);
  EXPECT_EQ(row.shortest, 10u);
  EXPECT_EQ(row.longest, 40u);
}

TEST(CallTotals, WhatFindsNoRoomIsCountedTogether) {
  const auto totals = std::make_unique<CallTotals>();
  constexpr std::uint64_t kPaths = 3 * CallTotals::kRows;
  for (std::uint32_t path = 1; path <= kPaths; ++path) {
    add_call(totals->of(path, 1), 5);
  }
  std::uint64_t calls = 0;
  for (const CallTotal& row : totals->rows) {
    calls += row.calls;
  }
  EXPECT_EQ(calls, kPaths);
  EXPECT_GE(totals->rows[0].calls, kPaths - CallTotals::kRows);
}

class LightTest : public RecorderTest {
 protected:
  LightTest() : before_{this_thread.begin, this_thread.limit, this_thread.end} {
    events_.resize(20'000);
    this_thread.begin = this_thread.cursor = events_.data();
    this_thread.end = this_thread.limit = events_.data() + events_.size() - 1;
    EXPECT_TRUE(divide_buffer(this_thread));
  }
  ~LightTest() override {
    this_thread.begin = this_thread.cursor = before_.begin;
    this_thread.limit = before_.limit;
    this_thread.end = before_.end;
    this_thread.totals = nullptr;
    this_thread.excerpts = nullptr;
    this_thread.outside = false;
    this_thread.excerpt = kFirstExcerpt;
    current_excerpt = kFirstExcerpt;
    pause_reasons = 0;
    first_request_of_excerpt = 1;
  }
  static const CallTotal& sends() {
    return this_thread.totals->of(kReturnAddress, static_cast<std::uint32_t>(Call::Send));
  }
  static void send() { call(hooks::Send{2, MPI_DOUBLE, 1, 5, MPI_COMM_WORLD}); }

 private:
  struct Buffer {
    Event *begin, *limit, *end;
  } before_;
  std::vector<Event> events_;
};

TEST_F(LightTest, CountsInExcerptsAndBetween) {
  send();
  EXPECT_THAT(types(), Contains(EventType::Send));
  change_excerpt(this_thread, kNoExcerpt);
  current_excerpt = kNoExcerpt;
  send();
  EXPECT_THAT(types(), IsEmpty()) << "made, and taken back";
  EXPECT_EQ(sends().calls, 2u);
  EXPECT_EQ(sends().messages, 2u);
  EXPECT_EQ(sends().message_bytes, 32u);
}

TEST_F(LightTest, ACallThatDoesNotEndIsThereBetweenExcerpts) {
  change_excerpt(this_thread, kNoExcerpt);
  current_excerpt = kNoExcerpt;
  call(hooks::Send{2, MPI_DOUBLE, 1, 5, MPI_COMM_WORLD}, [](auto&) {
    EXPECT_EQ(up_to_zeros(this_thread.begin, 10).size(), 1u);
    return MPI_SUCCESS;
  });
}

TEST_F(LightTest, TheUsersPauseIsNotCounted) {
  pause_recording(PauseReason::Pcontrol);
  send();
  EXPECT_EQ(sends().calls, 0u);
  resume_recording(PauseReason::Pcontrol);
  send();
  EXPECT_EQ(sends().calls, 1u);
}

TEST_F(LightTest, AnotherThreadFollowsAtItsNextCall) {
  current_excerpt = 5;
  send();
  EXPECT_EQ(this_thread.excerpt, 5u);
  EXPECT_EQ(types().front(), EventType::Excerpt);
  EXPECT_THAT(types(), Contains(EventType::Send));
}

TEST_F(LightTest, AFullExcerptEndsAndCallsStillCount) {
  send();
  end_full_excerpt(this_thread);
  EXPECT_TRUE(this_thread.outside);
  send();
  EXPECT_EQ(sends().calls, 2u);
  const auto first = events_of_slot(this_thread, 0);
  EXPECT_EQ(first.back().type, EventType::MeasurementOff);
}

TEST_F(LightTest, RequestsOfAnotherExcerptCompleteInSilence) {
  MPI_Request request = 0x2c000001;
  call(hooks::Isend{1, MPI_INT, 1, 5, MPI_COMM_WORLD, &request});
  forget_request_ids();
  change_excerpt(this_thread, 5);
  current_excerpt = 5;
  MPI_Status status = received(1, 5, 4);
  call(hooks::Completion{.count = 1, .requests = &request, .statuses = &status}, [&](auto&) {
    request = MPI_REQUEST_NULL;
    return MPI_SUCCESS;
  });
  EXPECT_THAT(types(), Not(Contains(EventType::IsendComplete)));
}

}  // namespace
}  // namespace waitprof

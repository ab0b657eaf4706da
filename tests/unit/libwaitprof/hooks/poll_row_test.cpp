// Rows of polls that found nothing: which of them are a wait, and what is recorded.
//
// SPDX-License-Identifier: BSD-3-Clause
#include "libwaitprof/buffer/poll_row.hpp"

#include <functional>

#include "tests/unit/libwaitprof/hooks/recorder_fixture.hpp"

namespace waitprof {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using enum EventType;

// The operations of a thread on its row, with a clock of our own.
class Polling {
 public:
  // False: the row is over.
  bool poll(std::uint64_t takes) {
    const std::uint64_t enter = time_;
    time_ += takes;
    if (row.polls > 0 && !row.goes_on_at(enter)) return false;
    return !row.add(enter) || row.judge(enter, time_);
  }
  bool poll(int times, std::uint64_t takes, std::uint64_t apart) {
    for (int i = 0; i < times; ++i) {
      if (!poll(takes)) return false;
      away(apart);
    }
    return true;
  }
  void away(std::uint64_t time) { time_ += time; }
  std::uint64_t time() const { return time_; }

 private:
  std::uint64_t time_ = 1'000'000;

 public:
  PollRow row = PollRow::beginning(time_, false);
};

TEST(PollRow, ShortPollsOneAfterTheOtherAreOne) {
  Polling thread;
  const std::uint64_t begin = thread.time();
  ASSERT_TRUE(thread.poll(10'000, 60, 30));
  EXPECT_TRUE(thread.row.leads_to(thread.time()));
  EXPECT_EQ(thread.row.first, begin);
  EXPECT_EQ(thread.row.polls, 10'000U);
  EXPECT_GT(thread.row.judged, thread.time() - 16 * 90);
}

TEST(PollRow, FewPollsAreNone) {
  Polling thread;
  ASSERT_TRUE(thread.poll(3, 60, 30));
  EXPECT_FALSE(thread.row.leads_to(thread.time()));
}

TEST(PollRow, WorkBetweenPollsEndsIt) {
  Polling thread;
  EXPECT_FALSE(thread.poll(100, 60, 5'000));
  EXPECT_FALSE(thread.row.counts());
}

TEST(PollRow, WorkThatBeginsLaterEndsItWhereItBegan) {
  Polling thread;
  ASSERT_TRUE(thread.poll(1'000, 60, 30));
  const std::uint64_t begin = thread.time();
  EXPECT_FALSE(thread.poll(100, 60, 5'000));
  EXPECT_LE(thread.row.judged, begin);
  EXPECT_GT(thread.row.judged, begin - 16 * 90);
}

TEST(PollRow, WorkBeforeTheLastPollEndsItToo) {
  Polling thread;
  ASSERT_TRUE(thread.poll(1'000, 60, 30));
  thread.away(9'000);
  EXPECT_FALSE(thread.row.leads_to(thread.time() + 9'000));
}

TEST(PollRow, SlowPollsAreNoWork) {
  Polling thread;
  EXPECT_TRUE(thread.poll(1'000, 80'000, 400));
  EXPECT_TRUE(thread.row.leads_to(thread.time()));
}

TEST(PollRow, TimeOfAnotherProcessIsNoWork) {
  constexpr std::uint64_t kAway = 4'000'000;
  struct Case {
    std::uint64_t ran, sleeps;
    bool goes_on;
  };
  for (const Case& during : {Case{0, 0, true}, Case{kAway, 0, false}, Case{0, 1, false}}) {
    Polling thread;
    ASSERT_TRUE(thread.poll(2'000, 60, 30));
    thread.row.has_used(thread.row.judged, {500, 7});
    ASSERT_TRUE(thread.poll(1'000, 60, 30));
    const std::uint64_t ran = 500 + thread.time() - thread.row.used_at;
    thread.away(kAway);
    EXPECT_FALSE(thread.row.goes_on_at(thread.time()));
    EXPECT_EQ(thread.row.was_preempted_until(thread.time(), {ran + during.ran, 7 + during.sleeps}),
              during.goes_on);
    EXPECT_EQ(thread.row.leads_to(thread.time()), during.goes_on);
  }
}

class PollRowTest : public RecorderTest {
 protected:
  int flag_ = 0;
  void poll(int times, int found = 0) {
    for (int i = 0; i < times; ++i) {
      call(hooks::Poll{.flag = &flag_}, [&](auto&) {
        flag_ = found;
        return MPI_SUCCESS;
      });
    }
  }
  // The thread may be interrupted for longer than a row allows: then the test is tried again.
  void when_undisturbed(const std::function<bool()>& done) {
    for (int attempt = 0; attempt < 1000; ++attempt) {
      clear();
      if (done()) return;
    }
    FAIL() << "never";
  }
};

TEST_F(PollRowTest, TheOneThatFindsSomethingIsEnteredByTheFirst) {
  std::uint64_t before = 0;
  when_undisturbed([&] {
    before = now();
    poll(100);
    EXPECT_THAT(this_thread.row.polls, testing::Gt(0U));
    poll(1, 1);
    return events().size() == 3 && events()[0].u.step == 100;
  });
  ASSERT_THAT(types(), ElementsAre(Polls, Enter, Leave));
  EXPECT_GE(events()[1].time, before);
  EXPECT_EQ(events()[0].time, events()[1].time);
  EXPECT_EQ(events()[1].u.region.call_path, kReturnAddress);
}

TEST_F(PollRowTest, AnotherCallEndsTheRowBeforeIt) {
  when_undisturbed([&] {
    poll(100);
    call(hooks::Region{});
    return events().size() == 5;
  });
  ASSERT_THAT(types(), ElementsAre(Polls, Enter, Leave, Enter, Leave));
  EXPECT_GE(events()[0].u.step, 16U);
  EXPECT_LE(events()[0].u.step, 100U);
  EXPECT_EQ(events()[1].u.region.call_path, kReturnAddress);
  EXPECT_LE(events()[2].time, events()[3].time);
}

// Who asks, pauses and asks again: each of the polls is there, with its own times.
TEST_F(PollRowTest, AFewPollsWithAPauseBehindThemAreOneCall) {
  const auto pause = [](std::uint64_t nanoseconds) {
    for (const std::uint64_t begin = now(); now() - begin < nanoseconds;) {
    }
  };
  when_undisturbed([&] {
    this_thread.told_poll = 0;
    poll(1);
    pause(2 * PollRow::kToldApart);
    poll(1);
    pause(2 * PollRow::kToldApart);
    poll(1, 1);
    return events().size() == 6;
  });
  ASSERT_THAT(types(), ElementsAre(Enter, Leave, Enter, Leave, Enter, Leave));
  EXPECT_EQ(events()[0].u.region.call_path, kReturnAddress);
  EXPECT_GE(events()[2].time - events()[1].time, 2 * PollRow::kToldApart);
  // Not more often than that.
  when_undisturbed([&] {
    this_thread.told_poll = now();
    this_thread.told_behind = this_thread.cursor;
    poll(1);
    pause(2 * PollRow::kLongestAway);
    poll(1, 1);
    return now() - this_thread.told_poll < PollRow::kToldApart;
  });
  EXPECT_THAT(types(), ElementsAre(Enter, Leave));
}

TEST_F(PollRowTest, AFewPollsRightBeforeACallAreNone) {
  when_undisturbed([&] {
    this_thread.told_poll = 0;
    poll(2);
    call(hooks::Region{});
    return events().size() == 2;
  });
  EXPECT_THAT(types(), ElementsAre(Enter, Leave));
}

TEST_F(PollRowTest, TimesNeverGoBackwards) {
  for (int i = 0; i < 2000; ++i) {
    poll(i % 37);
    if (i % 3 == 0) poll(1, 1);
    if (i % 5 == 0) call(hooks::Region{});
  }
  std::uint64_t last = 0;
  for (const Event& event : events()) {
    EXPECT_GE(event.time, last);
    last = event.time;
  }
}

TEST_F(PollRowTest, PollsOfAPauseAreNone) {
  recorder_state = RecorderState::Paused;
  poll(100);
  EXPECT_EQ(this_thread.row.polls, 0U);
  EXPECT_THAT(events(), IsEmpty());
}

TEST_F(PollRowTest, AFullBufferEndsTheRow) {
  when_undisturbed([&] {
    poll(100);
    return this_thread.row.counts();
  });
  this_thread.cursor = this_thread.limit;
  Event* const before = this_thread.cursor;
  room_calls().flush_works = false;
  poll(1);
  EXPECT_EQ(this_thread.cursor - before, 3);
  EXPECT_EQ(this_thread.row.polls, 0U);
}

}  // namespace
}  // namespace waitprof

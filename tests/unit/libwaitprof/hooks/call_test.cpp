// What happens around every call: what is recorded, what passes through, what is taken back.
//
// SPDX-License-Identifier: BSD-3-Clause
#include "tests/unit/libwaitprof/hooks/recorder_fixture.hpp"

namespace waitprof {
namespace {

using testing::AnyOf;
using testing::ElementsAre;
using testing::IsEmpty;
using enum EventType;

class CallTest : public RecorderTest {};

hooks::Send send_to(int dest) {
  return {.count = 3, .datatype = MPI_INT, .dest = dest, .tag = 7, .comm = MPI_COMM_WORLD};
}

TEST_F(CallTest, EnterAndLeaveFrameTheRealCall) {
  std::uint64_t inside = 0;
  call(hooks::Region{}, [&](auto&) {
    inside = now();
    return MPI_SUCCESS;
  });
  ASSERT_THAT(types(), ElementsAre(Enter, Leave));
  EXPECT_LE(events()[0].time, inside);
  EXPECT_GE(events()[1].time, inside);
  EXPECT_EQ(events()[0].u.region.region, static_cast<std::uint32_t>(Call::Send));
  EXPECT_EQ(events()[0].u.region.call_path, kReturnAddress);
}

TEST_F(CallTest, ResultIsHandedOn) {
  EXPECT_EQ(call(hooks::Region{}, [](auto&) { return 42; }), 42);
}

TEST_F(CallTest, NestedCallsAreTheLibrarysOwn) {
  call(hooks::Region{}, [](auto&) {
    return record_call(Call::Send, kInnerCaller, send_to(1), [](auto&) { return MPI_SUCCESS; });
  });
  EXPECT_THAT(types(), ElementsAre(Enter, Leave));
}

TEST_F(CallTest, CallThatWasLeftByAnExceptionEndsBeforeTheNext) {
  struct Error {};
  for (int i = 0; i < 2; ++i) {
    EXPECT_THROW(call(send_to(1), [](auto&) -> int { throw Error(); }), Error);
  }
  call(hooks::Region{});
  EXPECT_THAT(types(), ElementsAre(Enter, Leave, Enter, Leave, Enter, Leave));
}

TEST_F(CallTest, NothingIsRecordedBeforeInitAndAfterTrouble) {
  for (const RecorderState state : {RecorderState::Idle, RecorderState::Stopped}) {
    recorder_state = state;
    EXPECT_EQ(call(send_to(1), [](auto&) { return 5; }), 5);
  }
  EXPECT_THAT(events(), IsEmpty());
}

TEST_F(CallTest, FailedCallHasNoMessage) {
  call(send_to(1), [](auto&) { return MPI_ERR_RANK; });
  EXPECT_THAT(types(), ElementsAre(Enter, Leave));
}

TEST_F(CallTest, PausedCallLeavesNoEvents) {
  recorder_state = RecorderState::Paused;
  call(send_to(1));
  EXPECT_THAT(events(), IsEmpty());
}

TEST_F(CallTest, FailedPollIsCountedSuccessfulPollIsRecorded) {
  int flag = 0;
  const std::uint64_t before = this_thread.left_out.failed_polls;
  call(hooks::Poll{.flag = &flag});
  EXPECT_THAT(events(), IsEmpty());
  EXPECT_EQ(this_thread.left_out.failed_polls, before + 1);
  call(hooks::Poll{.flag = &flag}, [&flag](auto&) {
    flag = 1;
    return MPI_SUCCESS;
  });
  // On a slow machine there is a pause between the two, and the first one is a call of its own.
  EXPECT_THAT(types(), AnyOf(ElementsAre(Enter, Leave), ElementsAre(Enter, Leave, Enter, Leave)));
}

TEST_F(CallTest, PollThatMpiRefusesIsNotLookedInto) {
  call(hooks::Poll{.flag = nullptr}, [](auto&) { return MPI_ERR_ARG; });
  EXPECT_THAT(types(), ElementsAre(Enter, Leave));
}

TEST_F(CallTest, FullBufferIsFlushedBeforeTheCall) {
  this_thread.cursor = this_thread.limit;
  call(hooks::Region{});
  EXPECT_THAT(room_calls().order, ElementsAre("flush"));
  EXPECT_THAT(types(), ElementsAre(Enter, Leave));
}

TEST_F(CallTest, ReserveCountsAsFullForCallsWithManyRequests) {
  std::vector<MPI_Request> requests(100, MPI_REQUEST_NULL);
  this_thread.cursor = this_thread.limit - 100;
  call(hooks::Completion{.count = 100, .requests = requests.data(), .statuses = MPI_STATUSES_IGNORE});
  EXPECT_THAT(room_calls().order, ElementsAre("flush"));
}

TEST_F(CallTest, CallGoesOnWhenTheFlushFails) {
  room_calls().flush_works = false;
  this_thread.cursor = this_thread.limit;
  EXPECT_EQ(call(hooks::Region{}, [](auto&) { return 5; }), 5);
  EXPECT_EQ(this_thread.cursor, this_thread.limit);
}

TEST_F(CallTest, EventsBeyondTheReserveAreCounted) {
  const std::uint64_t before = this_thread.left_out.dropped_events;
  this_thread.cursor = this_thread.end - 1;
  EXPECT_TRUE(append(this_thread, event_at(Enter, 1)));
  EXPECT_FALSE(append(this_thread, event_at(Leave, 2)));
  EXPECT_EQ(this_thread.left_out.dropped_events, before + 1);
}

}  // namespace
}  // namespace waitprof

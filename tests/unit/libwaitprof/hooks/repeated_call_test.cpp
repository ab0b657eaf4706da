// Calls that do what an earlier one did.
//
// SPDX-License-Identifier: BSD-3-Clause
#include "libwaitprof/buffer/repeated_call.hpp"

#include <array>

#include "tests/unit/libwaitprof/hooks/recorder_fixture.hpp"

namespace waitprof {
namespace {

using testing::ElementsAre;
using enum EventType;

class RepeatedCallTest : public RecorderTest {
 protected:
  RepeatedCallTest() { this_thread.repeated_calls = places_.data(); }
  ~RepeatedCallTest() override { this_thread.repeated_calls = nullptr; }

  static void sendrecv(int tag, int from = 3) {
    call(hooks::Sendrecv{.count = 1,
                         .datatype = MPI_INT,
                         .dest = 2,
                         .tag = tag,
                         .comm = MPI_COMM_WORLD,
                         .source = MPI_ANY_SOURCE,
                         .status = MPI_STATUS_IGNORE},
         [from](auto& hook) {
           *hook.status = received(from, 5, 8);
           return MPI_SUCCESS;
         });
  }

 private:
  std::array<std::uint32_t, kRepeatedCalls> places_{};
};

TEST_F(RepeatedCallTest, TheSameAgainIsOneEvent) {
  for (int i = 0; i < 3; ++i) {
    sendrecv(7);
  }
  ASSERT_THAT(types(), ElementsAre(Enter, Send, Recv, Leave, Repeat, Repeat));
  const std::vector<Event> all = events();
  for (const std::uint32_t distance : {4U, 5U}) {
    const Event& repeat = all[distance];
    EXPECT_EQ(repeat.u.repeat.distance, distance);
    EXPECT_EQ(repeat.u.repeat.region, all[0].u.region.region);
    EXPECT_EQ(repeat.u.repeat.call_path, kReturnAddress);
    EXPECT_GE(repeat.time, all[distance - 1].time);
    EXPECT_LT(repeat.u.repeat.duration, 1'000'000'000U);
  }
}

TEST_F(RepeatedCallTest, CallsOfOneCallPathInTurns) {
  for (const int tag : {7, 8, 7, 8, 9}) {
    sendrecv(tag);
  }
  EXPECT_THAT(types(), ElementsAre(Enter, Send, Recv, Leave, Enter, Send, Recv, Leave, Repeat, Repeat, Enter,
                                   Send, Recv, Leave));
  EXPECT_EQ(events()[8].u.repeat.distance, 8U);
  EXPECT_EQ(events()[9].u.repeat.distance, 5U);
}

// What was the same up to there is recorded after all.
TEST_F(RepeatedCallTest, OneThatBecomesAnotherOne) {
  sendrecv(7, 3);
  sendrecv(7, 4);
  ASSERT_THAT(types(), ElementsAre(Enter, Send, Recv, Leave, Enter, Send, Recv, Leave));
  const std::vector<Event> all = events();
  EXPECT_EQ(all[5].time, all[4].time);
  EXPECT_EQ(all[5].u.message.tag, 7);
  EXPECT_EQ(all[6].time, all[7].time);
  EXPECT_EQ(all[6].u.message.peer, 4);
  sendrecv(7, 4);
  EXPECT_EQ(types().back(), Repeat);
}

TEST_F(RepeatedCallTest, OneThatRecordsLess) {
  sendrecv(7);
  call(hooks::Send{.count = 1, .datatype = MPI_INT, .dest = 2, .tag = 7, .comm = MPI_COMM_WORLD});
  EXPECT_THAT(types(), ElementsAre(Enter, Send, Recv, Leave, Enter, Send, Leave));
  EXPECT_EQ(events()[5].time, events()[4].time);
}

TEST_F(RepeatedCallTest, CollectivesAndCallsWithoutEvents) {
  const auto bcast = [](int root) {
    call(hooks::Collective{.sendcount = 4,
                           .sendtype = MPI_INT,
                           .root = root,
                           .comm = MPI_COMM_WORLD,
                           .op = CollectiveOp::Bcast});
  };
  bcast(1);
  bcast(1);
  bcast(2);
  call(hooks::Region{});
  call(hooks::Region{});
  EXPECT_THAT(types(), ElementsAre(Enter, CollectiveBegin, CollectiveEnd, Leave, Repeat, Enter,
                                   CollectiveBegin, CollectiveEnd, Leave, Enter, Leave, Repeat));
}

TEST_F(RepeatedCallTest, RequestsThatAreUsedAgain) {
  for (int i = 0; i < 2; ++i) {
    MPI_Request request = MPI_REQUEST_NULL;
    call(hooks::Isend{.count = 1,
                      .datatype = MPI_INT,
                      .dest = 2,
                      .tag = 7,
                      .comm = MPI_COMM_WORLD,
                      .request = &request},
         [&request](auto&) {
           request = 4242;
           return MPI_SUCCESS;
         });
    call(hooks::Completion{.requests = &request, .statuses = MPI_STATUS_IGNORE}, [&request](auto&) {
      request = MPI_REQUEST_NULL;
      return MPI_SUCCESS;
    });
  }
  EXPECT_THAT(types(), ElementsAre(Enter, Isend, Leave, Enter, IsendComplete, Leave, Repeat, Repeat));
}

// A region of a callback, for example.
TEST_F(RepeatedCallTest, NotWhereSomethingElseCameInBetween) {
  for (int i = 0; i < 2; ++i) {
    call(hooks::Send{.count = 1, .datatype = MPI_INT, .dest = 2, .tag = 7, .comm = MPI_COMM_WORLD},
         [i](auto&) {
           if (i == 1) append(this_thread, event_at(Step, now()));
           return MPI_SUCCESS;
         });
  }
  EXPECT_THAT(types(), ElementsAre(Enter, Send, Leave, Enter, Step, Send, Leave));
}

// The buffer is written; what is found by its place is something else now.
TEST_F(RepeatedCallTest, NotOfWhatHasLeftTheBuffer) {
  sendrecv(7);
  clear();
  sendrecv(8);
  sendrecv(7);
  EXPECT_THAT(types(), ElementsAre(Enter, Send, Recv, Leave, Enter, Send, Recv, Leave));
}

TEST_F(RepeatedCallTest, ThoseWithManyEventsAreNotKept) {
  std::vector<MPI_Request> requests(kMostRepeatedEvents, 4242);
  for (int i = 0; i < 2; ++i) {
    for (MPI_Request& request : requests) {
      call(hooks::Isend{
          .count = 1, .datatype = MPI_INT, .dest = 2, .tag = 7, .comm = MPI_COMM_WORLD, .request = &request});
    }
    call(hooks::Completion{.count = static_cast<int>(requests.size()),
                           .requests = requests.data(),
                           .statuses = MPI_STATUSES_IGNORE});
    EXPECT_EQ(types().back(), Leave);
  }
}

}  // namespace
}  // namespace waitprof

// Functions that are not recorded: which ones they are, and that their effects are followed.
//
// SPDX-License-Identifier: BSD-3-Clause
#include "libwaitprof/settings/call_filter.hpp"

#include <utility>

#include "tests/unit/libwaitprof/hooks/recorder_fixture.hpp"

namespace waitprof {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using enum EventType;

constexpr MPI_Request kRequest = 0x18000005;

class CallFilterTest : public RecorderTest {
 protected:
  ~CallFilterTest() override { filter_calls(0); }

  static void isend(MPI_Request& request) {
    hooks::Isend hook{
        .count = 1, .datatype = MPI_INT, .dest = 1, .tag = 1, .comm = MPI_COMM_WORLD, .request = &request};
    record_call(Call::Isend, kCaller, std::move(hook), [&](auto&) {
      request = kRequest;
      return MPI_SUCCESS;
    });
  }
  static void wait(MPI_Request& request) {
    hooks::Completion hook{.requests = &request, .statuses = MPI_STATUS_IGNORE};
    record_call(Call::Wait, kCaller, std::move(hook), [&](auto&) {
      request = MPI_REQUEST_NULL;
      return MPI_SUCCESS;
    });
  }
};

TEST_F(CallFilterTest, EveryFunctionHasItsGroup) {
  EXPECT_EQ(group_of_call(Call::Send), kPointToPointCalls);
  EXPECT_EQ(group_of_call(Call::Send_init), kPointToPointCalls);
  EXPECT_EQ(group_of_call(Call::Waitall), kPointToPointCalls);
  EXPECT_EQ(group_of_call(Call::Iallreduce_c), kCollectiveCalls);
  EXPECT_EQ(group_of_call(Call::Allreduce_init), kCollectiveCalls);
  EXPECT_EQ(group_of_call(Call::Win_fence), kRmaCalls);
  EXPECT_EQ(group_of_call(Call::Rput), kRmaCalls);
  EXPECT_EQ(group_of_call(Call::File_write_all), kIoCalls);
  EXPECT_EQ(group_of_call(Call::Cart_create), kCommunicatorCalls);
  EXPECT_EQ(group_of_call(Call::Type_commit), kOtherCalls);
  for (const Call life : {Call::Init, Call::Init_thread, Call::Finalize, Call::Session_init, Call::Abort}) {
    EXPECT_EQ(group_of_call(life), 0u);
  }
}

TEST_F(CallFilterTest, GroupsAreListedByName) {
  std::uint32_t groups = 0;
  EXPECT_TRUE(parse_call_groups("io", groups));
  EXPECT_EQ(groups, kIoCalls);
  EXPECT_TRUE(parse_call_groups("p2p,other", groups));
  EXPECT_EQ(groups, kPointToPointCalls | kOtherCalls);
  EXPECT_EQ(unknown_call_group("p2p,other"), "");
  for (const char* bad : {"all", "p2p;io", "P2P"}) {
    EXPECT_FALSE(parse_call_groups(bad, groups)) << bad;
    EXPECT_EQ(unknown_call_group(bad), bad);
  }
  EXPECT_FALSE(parse_call_groups("", groups));
  EXPECT_EQ(groups, kPointToPointCalls | kOtherCalls);
  EXPECT_TRUE(parse_call_groups("rma,foo,io", groups));
  EXPECT_EQ(groups, kRmaCalls | kIoCalls);
  EXPECT_EQ(unknown_call_group("rma,foo,io"), "foo");
}

TEST_F(CallFilterTest, WhatStartsUnseenEndsUnseen) {
  filter_calls(kPointToPointCalls);
  MPI_Request request = MPI_REQUEST_NULL;
  isend(request);
  wait(request);
  EXPECT_THAT(events(), IsEmpty());
  isend(request);
  filter_calls(0);
  wait(request);
  EXPECT_THAT(types(), ElementsAre(Enter, Leave));
}

TEST_F(CallFilterTest, WhatCompletesSomethingRecordedIsRecorded) {
  MPI_Request request = MPI_REQUEST_NULL;
  isend(request);
  filter_calls(kPointToPointCalls);
  wait(request);
  EXPECT_THAT(types(), ElementsAre(Enter, Isend, Leave, Enter, IsendComplete, Leave));
}

}  // namespace
}  // namespace waitprof

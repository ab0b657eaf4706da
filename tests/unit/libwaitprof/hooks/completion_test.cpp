// Nonblocking and persistent operations from start to completion, with MPICH's habits: equal handles for
// different requests, statuses ignored, errors in some of many.
//
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <array>

#include "tests/unit/libwaitprof/hooks/recorder_fixture.hpp"

namespace waitprof {
namespace {

using testing::AnyOf;
using testing::ElementsAre;
using testing::IsEmpty;
using enum EventType;

constexpr MPI_Request kLightweight = 0x2c000001;  // one handle for all
constexpr MPI_Request kReal = 0x18000005, kPartitioned = 0x18000006;

class CompletionTest : public RecorderTest {
 protected:
  static void isend(MPI_Request& request, int dest, MPI_Request handle = kLightweight,
                    bool persistent = false) {
    const hooks::Isend hook{.count = 1,
                            .datatype = MPI_INT,
                            .dest = dest,
                            .tag = 1,
                            .comm = MPI_COMM_WORLD,
                            .request = &request,
                            .persistent = persistent};
    call(hook, [&](auto&) {
      request = handle;
      return MPI_SUCCESS;
    });
  }
  static void irecv(MPI_Request& request, int source, MPI_Request handle, bool persistent = false) {
    const hooks::Irecv hook{
        .comm = MPI_COMM_WORLD, .source = source, .request = &request, .persistent = persistent};
    call(hook, [&](auto&) {
      request = handle;
      return MPI_SUCCESS;
    });
  }
  // MPI completes everything; receives come from rank 2.
  template <std::size_t n>
  static void waitall(std::array<MPI_Request, n>& requests, MPI_Status* statuses = MPI_STATUSES_IGNORE) {
    const hooks::Completion hook{
        .count = static_cast<int>(n), .requests = requests.data(), .statuses = statuses};
    call(hook, [&](auto& given) {
      for (std::size_t i = 0; i < n; ++i) {
        requests[i] = MPI_REQUEST_NULL;
        given.statuses[i] = received(2, static_cast<int>(i), 100 + i);
      }
      return MPI_SUCCESS;
    });
  }
  std::vector<std::uint32_t> requests_of(EventType type) const {
    std::vector<std::uint32_t> ids;
    for (const Event& event : events()) {
      if (event.type == type) {
        ids.push_back(event.u.message.request);
      }
    }
    return ids;
  }
};

TEST_F(CompletionTest, WaitallWithIgnoredStatuses) {
  std::array<MPI_Request, 3> requests{};
  irecv(requests[0], MPI_ANY_SOURCE, kReal);
  isend(requests[1], 4);
  requests[2] = MPI_REQUEST_NULL;
  waitall(requests);
  EXPECT_THAT(types(), ElementsAre(Enter, IrecvRequest, Leave, Enter, Isend, Leave, Enter, Irecv,
                                   IsendComplete, Leave));
  EXPECT_EQ(the(Irecv).u.message.request, the(IrecvRequest).u.message.request);
  EXPECT_EQ(the(Irecv).u.message.peer, 2);
  EXPECT_EQ(the(Irecv).u.message.bytes, 100U);
  EXPECT_EQ(the(IsendComplete).u.message.request, the(Isend).u.message.request);
}

TEST_F(CompletionTest, OwnStatusesAreUsed) {
  std::array<MPI_Request, 1> requests{};
  std::array<MPI_Status, 1> own{};
  irecv(requests[0], 2, kReal);
  waitall(requests, own.data());
  EXPECT_EQ(own[0].MPI_SOURCE, 2);
}

TEST_F(CompletionTest, EqualHandlesAreDistinguishedByTheirVariable) {
  std::array<MPI_Request, 3> requests{};
  for (MPI_Request& request : requests) {
    isend(request, 1);
  }
  const std::vector<std::uint32_t> started = requests_of(Isend);
  clear();
  int index = 2;
  const hooks::Completion waitany{.count = 3,
                                  .requests = requests.data(),
                                  .index = &index,
                                  .statuses = MPI_STATUS_IGNORE,
                                  .which = hooks::Completion::Any};
  call(waitany, [&](auto&) {
    requests[2] = MPI_REQUEST_NULL;
    return MPI_SUCCESS;
  });
  EXPECT_THAT(requests_of(IsendComplete), ElementsAre(started[2]));
  waitall(requests);
  EXPECT_THAT(requests_of(IsendComplete), ElementsAre(started[2], started[0], started[1]));
}

TEST_F(CompletionTest, CopiedHandlesCompleteInOrder) {
  MPI_Request variable{};
  std::array<MPI_Request, 2> copies{};
  for (MPI_Request& copy : copies) {
    isend(variable, 1);
    copy = variable;
  }
  const std::vector<std::uint32_t> started = requests_of(Isend);
  waitall(copies);
  EXPECT_THAT(requests_of(IsendComplete), ElementsAre(started[0], started[1]));
}

TEST_F(CompletionTest, WaitsomeCompletesWhatMpiNames) {
  std::array<MPI_Request, 3> requests{};
  for (std::size_t i = 0; i < 3; ++i) {
    irecv(requests[i], 2, kReal + static_cast<int>(i));
  }
  const std::vector<std::uint32_t> posted = requests_of(IrecvRequest);
  int outcount = 2;
  const std::array<int, 3> indices{2, 0, -1};
  const hooks::Completion hook{.count = 3,
                               .requests = requests.data(),
                               .outcount = &outcount,
                               .indices = indices.data(),
                               .statuses = MPI_STATUSES_IGNORE,
                               .which = hooks::Completion::Some};
  call(hook, [&](auto& given) {
    requests[0] = requests[2] = MPI_REQUEST_NULL;
    given.statuses[0] = received(2, 1, 30);
    given.statuses[1] = received(2, 1, 10);
    return MPI_SUCCESS;
  });
  EXPECT_THAT(requests_of(Irecv), ElementsAre(posted[2], posted[0]));
  waitall(requests);
  EXPECT_THAT(requests_of(Irecv), ElementsAre(posted[2], posted[0], posted[1]));
}

TEST_F(CompletionTest, NoActiveRequests) {
  std::array<MPI_Request, 1> requests{MPI_REQUEST_NULL};
  int undefined = MPI_UNDEFINED;
  call(hooks::Completion{.count = 1,
                         .requests = requests.data(),
                         .index = &undefined,
                         .statuses = MPI_STATUS_IGNORE,
                         .which = hooks::Completion::Any});
  call(hooks::Completion{.count = 1,
                         .requests = requests.data(),
                         .outcount = &undefined,
                         .indices = &undefined,
                         .statuses = MPI_STATUSES_IGNORE,
                         .which = hooks::Completion::Some});
  call(hooks::Completion{.count = 0, .requests = nullptr, .statuses = MPI_STATUSES_IGNORE});
  EXPECT_THAT(types(), ElementsAre(Enter, Leave, Enter, Leave, Enter, Leave));
}

TEST_F(CompletionTest, TestThatFailsLeavesNoEvents) {
  MPI_Request request{};
  isend(request, 1);
  clear();
  int flag = 0;
  const hooks::Completion test{
      .requests = &request, .flag = &flag, .statuses = MPI_STATUS_IGNORE, .poll = true};
  call(test);
  EXPECT_THAT(events(), IsEmpty());
  call(test, [&flag](auto&) {
    flag = 1;
    return MPI_SUCCESS;
  });
  // On a slow machine there is a pause between the two, and the first one is a call of its own.
  EXPECT_THAT(types(), AnyOf(ElementsAre(Enter, IsendComplete, Leave),
                             ElementsAre(Enter, Leave, Enter, IsendComplete, Leave)));
}

TEST_F(CompletionTest, ProcNullOperationsAreTrackedWithoutEvents) {
  std::array<MPI_Request, 2> requests{};
  isend(requests[0], MPI_PROC_NULL);
  isend(requests[1], 1);
  const std::uint32_t id = the(Isend).u.message.request;
  waitall(requests);
  EXPECT_THAT(requests_of(IsendComplete), ElementsAre(id));
}

TEST_F(CompletionTest, PersistentRequestsHaveAnIdOfTheirOwnUntilTheyAreComplete) {
  std::array<MPI_Request, 2> requests{};
  isend(requests[0], 1, kReal, true);
  irecv(requests[1], 2, kReal + 1, true);
  EXPECT_THAT(types(), ElementsAre(Enter, Leave, Enter, Leave));
  clear();
  const std::array<MPI_Request, 2> handles = requests;
  for (int round = 0; round < 2; ++round) {
    call(hooks::Start{.count = 2, .requests = requests.data()});
    waitall(requests);
    requests = handles;  // MPI leaves handles of persistent requests
  }
  EXPECT_THAT(types(), ElementsAre(Enter, Isend, IrecvRequest, Leave, Enter, IsendComplete, Irecv, Leave,
                                   Enter, Isend, IrecvRequest, Leave, Enter, IsendComplete, Irecv, Leave));
  for (int round = 0; round < 2; ++round) {
    EXPECT_NE(requests_of(Isend)[round], requests_of(IrecvRequest)[round]);
  }
  EXPECT_EQ(requests_of(IsendComplete), requests_of(Isend));
  EXPECT_EQ(requests_of(Irecv), requests_of(IrecvRequest));
  clear();
  waitall(requests);  // inactive
  EXPECT_THAT(types(), ElementsAre(Enter, Leave));
  forget_request(handles[0], &requests[0]);
  forget_request(handles[1], &requests[1]);
}

TEST_F(CompletionTest, FreedRequestIsForgotten) {
  MPI_Request request{};
  isend(request, 1, kReal, true);
  call(hooks::RequestFree{.request = &request}, [&request](auto&) {
    request = MPI_REQUEST_NULL;
    return MPI_SUCCESS;
  });
  EXPECT_FALSE(inactive_request(kReal, &request).has_value());
}

TEST_F(CompletionTest, CancelledReceiveIsNoMessage) {
  std::array<MPI_Request, 1> requests{};
  irecv(requests[0], 2, kReal);
  call(hooks::Cancel{.request = requests.data()});
  clear();
  const hooks::Completion wait{.requests = requests.data(), .statuses = MPI_STATUS_IGNORE};
  call(wait, [](auto& given) {
    given.statuses[0] = received(MPI_ANY_SOURCE, MPI_ANY_TAG, 0);
    given.statuses[0].count_hi_and_cancelled |= 1;
    return MPI_SUCCESS;
  });
  EXPECT_THAT(types(), ElementsAre(Enter, RequestCancelled, Leave));
}

TEST_F(CompletionTest, ErrorInOneOfManyCompletesTheOthers) {
  std::array<MPI_Request, 3> requests{};
  for (std::size_t i = 0; i < 3; ++i) {
    irecv(requests[i], 2, kReal + static_cast<int>(i));
  }
  const std::vector<std::uint32_t> posted = requests_of(IrecvRequest);
  stand_in::state().error_class = MPI_ERR_IN_STATUS;
  const hooks::Completion hook{.count = 3, .requests = requests.data(), .statuses = MPI_STATUSES_IGNORE};
  call(hook, [&](auto& given) {
    for (std::size_t i = 0; i < 3; ++i) {
      given.statuses[i] = received(2, 1, 4);
    }
    given.statuses[1].MPI_ERROR = MPI_ERR_TRUNCATE;
    given.statuses[2].MPI_ERROR = MPI_ERR_PENDING;
    requests[0] = requests[1] = MPI_REQUEST_NULL;  // the third is still pending
    return MPI_ERR_IN_STATUS;
  });
  EXPECT_THAT(requests_of(Irecv), ElementsAre(posted[0]));
  EXPECT_FALSE(complete_request(kReal + 1, &requests[1]).has_value());
  EXPECT_TRUE(complete_request(kReal + 2, &requests[2]).has_value());
}

TEST_F(CompletionTest, RequestStartedWhilePausedCompletesSilently) {
  std::array<MPI_Request, 1> requests{};
  recorder_state = RecorderState::Paused;
  isend(requests[0], 1);
  recorder_state = RecorderState::Recording;
  waitall(requests);
  EXPECT_THAT(types(), ElementsAre(Enter, Leave));
}

TEST_F(CompletionTest, IsendrecvIsASendAndAReceive) {
  std::array<MPI_Request, 1> requests{};
  const hooks::Isendrecv both{.count = 1,
                              .datatype = MPI_INT,
                              .dest = 1,
                              .tag = 3,
                              .comm = MPI_COMM_WORLD,
                              .recvcount = 2,
                              .recvtype = MPI_INT,
                              .source = 4,
                              .recvtag = 5,
                              .request = requests.data()};
  call(both, [&](auto&) {
    requests[0] = kReal;
    return MPI_SUCCESS;
  });
  waitall(requests);
  EXPECT_THAT(types(), ElementsAre(Enter, Isend, IrecvRequest, Leave, Enter, IsendComplete, Irecv, Leave));
  EXPECT_EQ(the(Irecv).u.message.peer, 4);
  EXPECT_EQ(the(Irecv).u.message.tag, 5);
  EXPECT_EQ(the(Irecv).u.message.bytes, 8U);
}

void start_collective(const hooks::Collective& collective, MPI_Request& request) {
  call(collective, [&](auto&) {
    request = kReal;
    return MPI_SUCCESS;
  });
}

TEST_F(CompletionTest, NonblockingCollectiveIsCompleteWhereItIsWaitedFor) {
  std::array<MPI_Request, 1> request{};
  start_collective({.sendcount = 5,
                    .sendtype = MPI_INT,
                    .root = 0,
                    .comm = kRowComm,
                    .request = &request[0],
                    .op = CollectiveOp::Bcast},
                   request[0]);
  waitall(request);
  ASSERT_THAT(types(), ElementsAre(Enter, CollectiveRequest, Leave, Enter, CollectiveRequestDone,
                                   CollectiveComplete, Leave));
  EXPECT_EQ(the(CollectiveRequestDone).u.message.request, the(CollectiveRequest).u.message.request);
  const Event complete = the(CollectiveComplete);
  EXPECT_EQ(static_cast<CollectiveOp>(complete.u.collective.op), CollectiveOp::Bcast);
  EXPECT_EQ(complete.u.collective.root, 0);
  EXPECT_EQ(complete.u.collective.sent, 60U);
  EXPECT_EQ(complete.u.collective.comm, communicator_of(kRowComm));
}

TEST_F(CompletionTest, PersistentCollectiveStartsWithEveryStart) {
  std::array<MPI_Request, 1> request{};
  start_collective(
      {.comm = kRowComm, .request = &request[0], .op = CollectiveOp::Barrier, .persistent = true},
      request[0]);
  EXPECT_THAT(types(), ElementsAre(Enter, Leave));
  clear();
  for (int round = 0; round < 2; ++round) {
    call(hooks::Start{.requests = request.data()});
    call(hooks::Completion{.requests = request.data(), .statuses = MPI_STATUS_IGNORE});
  }
  const std::vector<std::uint32_t> ids = requests_of(CollectiveRequest);
  ASSERT_EQ(ids.size(), 2U);
  EXPECT_EQ(requests_of(CollectiveRequestDone), ids);
}

TEST_F(CompletionTest, PartitionedMessageLeavesWithItsLastPartition) {
  std::array<MPI_Request, 1> request{};
  const hooks::Isend three{.count = 2,
                           .datatype = MPI_INT,
                           .dest = 1,
                           .tag = 9,
                           .comm = MPI_COMM_WORLD,
                           .request = &request[0],
                           .partitions = 3,
                           .persistent = true};
  call(three, [&](auto&) {
    request[0] = kPartitioned;
    return MPI_SUCCESS;
  });
  for (int round = 0; round < 2; ++round) {
    clear();
    call(hooks::Start{.requests = request.data()});
    call(hooks::PartitionsReady{.request = kPartitioned});
    call(hooks::PartitionsReady{.request = kPartitioned, .first = 1, .last = 2});
    call(hooks::Completion{.requests = request.data(), .statuses = MPI_STATUS_IGNORE});
    ASSERT_THAT(types(),
                ElementsAre(Enter, Leave, Enter, Leave, Enter, Isend, Leave, Enter, IsendComplete, Leave));
    EXPECT_EQ(the(Isend).u.message.bytes, 24U);
    EXPECT_EQ(the(Isend).u.message.tag, 9 + hooks::kPartitionedTag);
    EXPECT_EQ(the(Isend).time, events()[4].time);
    EXPECT_EQ(requests_of(Isend), requests_of(IsendComplete));
  }
}

TEST_F(CompletionTest, PartitionedReceiveIsKnownWithoutAStatus) {
  std::array<MPI_Request, 1> request{};
  const hooks::Irecv two{.comm = MPI_COMM_WORLD,
                         .source = 3,
                         .request = &request[0],
                         .partitions = 2,
                         .count = 5,
                         .datatype = MPI_INT,
                         .tag = 9,
                         .persistent = true};
  call(two, [&](auto&) {
    request[0] = kPartitioned;
    return MPI_SUCCESS;
  });
  clear();
  call(hooks::Start{.requests = request.data()});
  call(hooks::Completion{.requests = request.data(), .statuses = MPI_STATUS_IGNORE});
  ASSERT_THAT(types(), ElementsAre(Enter, IrecvRequest, Leave, Enter, Irecv, Leave));
  EXPECT_EQ(the(Irecv).u.message.bytes, 40U);
  EXPECT_EQ(the(Irecv).u.message.peer, 3);
  EXPECT_EQ(the(Irecv).u.message.tag, 9 + hooks::kPartitionedTag);
  EXPECT_EQ(requests_of(IrecvRequest), requests_of(Irecv));
}

}  // namespace
}  // namespace waitprof

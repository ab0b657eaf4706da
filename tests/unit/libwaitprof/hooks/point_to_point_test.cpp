// Blocking point-to-point: what the Send and Recv events say.
//
// SPDX-License-Identifier: BSD-3-Clause
#include "tests/unit/libwaitprof/hooks/recorder_fixture.hpp"

namespace waitprof {
namespace {

using testing::ElementsAre;
using enum EventType;

class PointToPointTest : public RecorderTest {};

TEST_F(PointToPointTest, SendSaysWhatWentWhere) {
  call(hooks::Send{.count = 3, .datatype = MPI_DOUBLE, .dest = 2, .tag = 7, .comm = MPI_COMM_WORLD});
  ASSERT_THAT(types(), ElementsAre(Enter, Send, Leave));
  const Event send = the(Send);
  EXPECT_EQ(send.time, the(Enter).time);
  EXPECT_EQ(send.u.message.bytes, 24U);
  EXPECT_EQ(send.u.message.peer, 2);
  EXPECT_EQ(send.u.message.tag, 7);
  EXPECT_EQ(send.u.message.comm, kWorldComm);
}

TEST_F(PointToPointTest, DerivedTypesAskMpiForTheirSize) {
  call(hooks::Send{.count = 10, .datatype = kDerivedType, .dest = 2, .tag = 7, .comm = MPI_COMM_WORLD});
  EXPECT_EQ(the(Send).u.message.bytes, 240U);
}

TEST_F(PointToPointTest, ProcNullIsNoMessage) {
  call(hooks::Send{.count = 1, .datatype = MPI_INT, .dest = MPI_PROC_NULL, .tag = 0, .comm = MPI_COMM_WORLD});
  call(hooks::Receive{.comm = MPI_COMM_WORLD, .source = 1, .status = MPI_STATUS_IGNORE}, [](auto& hook) {
    *hook.status = received(MPI_PROC_NULL, MPI_ANY_TAG, 0);
    return MPI_SUCCESS;
  });
  EXPECT_THAT(types(), ElementsAre(Enter, Leave, Enter, Leave));
}

TEST_F(PointToPointTest, UnknownCommunicatorIsNoMessage) {
  call(hooks::Send{.count = 1, .datatype = MPI_INT, .dest = 1, .tag = 0, .comm = 0x44777777});
  EXPECT_THAT(types(), ElementsAre(Enter, Leave));
}

TEST_F(PointToPointTest, IgnoredStatusIsReplaced) {
  call(hooks::Receive{.comm = kRowComm, .source = 1, .status = MPI_STATUS_IGNORE}, [](auto& hook) {
    EXPECT_NE(hook.status, MPI_STATUS_IGNORE);
    *hook.status = received(1, 5, (std::uint64_t{3} << 32) + 9);
    return MPI_SUCCESS;
  });
  ASSERT_THAT(types(), ElementsAre(Enter, Recv, Leave));
  const Event recv = the(Recv);
  EXPECT_EQ(recv.time, the(Leave).time);
  EXPECT_EQ(recv.u.message.peer, 1);
  EXPECT_EQ(recv.u.message.tag, 5);
  EXPECT_EQ(recv.u.message.bytes, (std::uint64_t{3} << 32) + 9);
  EXPECT_EQ(recv.u.message.comm, communicator_of(kRowComm));
}

TEST_F(PointToPointTest, ReceivesFromAnySourceAreMarked) {
  for (const int source : {3, MPI_ANY_SOURCE}) {
    MPI_Status own{};
    call(hooks::Receive{.comm = MPI_COMM_WORLD, .source = source, .status = &own}, [](auto& hook) {
      *hook.status = received(3, 5, 8);
      return MPI_SUCCESS;
    });
  }
  EXPECT_EQ(events()[1].u.message.request, kUnrecordedRequest);
  EXPECT_EQ(events()[4].u.message.request, kFromAnySource);
  EXPECT_EQ(events()[4].u.message.peer, 3);
}

TEST_F(PointToPointTest, OwnStatusIsUsed) {
  MPI_Status own{};
  call(hooks::Receive{.comm = MPI_COMM_WORLD, .source = 3, .status = &own}, [&own](auto& hook) {
    EXPECT_EQ(hook.status, &own);
    own = received(3, 5, 8);
    return MPI_SUCCESS;
  });
  EXPECT_EQ(the(Recv).u.message.peer, 3);
}

TEST_F(PointToPointTest, SendrecvSendsFirst) {
  const hooks::Sendrecv both{.count = 1,
                             .datatype = MPI_INT,
                             .dest = 1,
                             .tag = 2,
                             .comm = MPI_COMM_WORLD,
                             .source = 4,
                             .status = MPI_STATUS_IGNORE};
  call(both, [](auto& hook) {
    *hook.status = received(4, 3, 4);
    return MPI_SUCCESS;
  });
  ASSERT_THAT(types(), ElementsAre(Enter, Send, Recv, Leave));
  EXPECT_EQ(the(Send).u.message.peer, 1);
  EXPECT_EQ(the(Recv).u.message.peer, 4);
}

TEST_F(PointToPointTest, MatchedReceiveKnowsTheCommunicatorOfItsProbe) {
  MPI_Message message = 0x77;
  call(hooks::MatchedProbe{.comm = kRowComm, .message = &message});
  clear();
  call(hooks::MatchedReceive{.message = &message, .status = MPI_STATUS_IGNORE}, [&message](auto& hook) {
    message = MPI_MESSAGE_NULL;
    *hook.status = received(1, 5, 4);
    return MPI_SUCCESS;
  });
  EXPECT_EQ(the(Recv).u.message.comm, communicator_of(kRowComm));
}

TEST_F(PointToPointTest, ImprobeThatFindsNothingLeavesTheMessageAlone) {
  const int flag = 0;
  call(hooks::MatchedProbe{.comm = kRowComm, .message = nullptr, .flag = &flag});
  EXPECT_TRUE(events().empty());
}

}  // namespace
}  // namespace waitprof

// Which wildcard receive got which message does not matter: the lowest sender comes first.
//
// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/trace/derived/ordered_receives.hpp"

#include <utility>
#include <vector>

#include "tests/unit/trace/builder/trace_builder_fixture.hpp"

namespace waitdiag {
namespace {

using Message = std::pair<Rank, std::uint64_t>;  // its sender and its bytes

class OrderedReceivesTest : public TraceBuilderTest {
 protected:
  // A barrier where the sender is kNoRank.
  std::optional<Trace> received(const std::vector<Message>& messages, bool any_source) {
    const RegionId recv = mpi("MPI_Recv"), barrier = mpi("MPI_Barrier");
    std::int64_t begin = 0;
    for (const auto& [from, bytes] : messages) {
      builder.enter(here, at(begin), from == kNoRank ? barrier : recv);
      if (from != kNoRank) builder.recv(here, at(begin + 5), from, world, 1, bytes, any_source);
      builder.leave(here, at(begin + 5), from == kNoRank ? barrier : recv);
      begin += 10;
    }
    return with_ordered_receives(build());
  }
  std::vector<Message> got(const Trace& trace) const {
    std::vector<Message> messages;
    for (const MessageEnd& end : trace.timeline(here).receives()) messages.emplace_back(end.peer, end.bytes);
    return messages;
  }
};

TEST_F(OrderedReceivesTest, FollowTheirSendersUntilOneComesAgain) {
  const std::optional<Trace> trace = received({{Rank(1), 10}, {Rank(0), 20}, {Rank(1), 30}}, true);
  ASSERT_TRUE(trace);
  EXPECT_EQ(got(*trace), (std::vector<Message>{{Rank(0), 20}, {Rank(1), 10}, {Rank(1), 30}}));
}

TEST_F(OrderedReceivesTest, MessagesOfTheNextStepThatCameEarlyBelongToIt) {
  const std::optional<Trace> trace =
      received({{Rank(1), 10}, {Rank(1), 11}, {kNoRank, 0}, {Rank(0), 20}, {Rank(0), 21}}, true);
  ASSERT_TRUE(trace);
  EXPECT_EQ(got(*trace), (std::vector<Message>{{Rank(0), 20}, {Rank(1), 10}, {Rank(0), 21}, {Rank(1), 11}}));
}

TEST_F(OrderedReceivesTest, StayWhereTheSenderIsNamed) {
  EXPECT_FALSE(received({{Rank(1), 10}, {Rank(0), 20}}, false));
}

}  // namespace
}  // namespace waitdiag

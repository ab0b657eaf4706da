// Which wildcard receive got which message does not matter: the lowest sender comes first.
//
// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/trace/model/ordered_receives.hpp"

#include <utility>
#include <vector>

#include "tests/unit/trace/model/trace_builder_fixture.hpp"

namespace waitdiag {
namespace {

class OrderedReceivesTest : public TraceBuilderTest {
 protected:
  // Messages of the ranks 1, 0, 1 with 10, 20 and 30 bytes.
  std::optional<Trace> received(bool any_source) {
    const RegionId recv = mpi("MPI_Recv");
    std::int64_t begin = 0;
    for (const auto& [from, bytes] :
         std::vector<std::pair<std::uint32_t, std::uint64_t>>{{1, 10}, {0, 20}, {1, 30}}) {
      builder.enter(here, at(begin), recv);
      builder.recv(here, at(begin + 5), Rank(from), world, 1, bytes, any_source);
      builder.leave(here, at(begin + 5), recv);
      begin += 10;
    }
    return with_ordered_receives(build());
  }
};

TEST_F(OrderedReceivesTest, FollowTheirSendersUntilOneComesAgain) {
  const std::optional<Trace> trace = received(true);
  ASSERT_TRUE(trace);
  std::vector<std::pair<Rank, std::uint64_t>> got;
  for (const MessageEnd& end : trace->timeline(here).receives()) got.emplace_back(end.peer, end.bytes);
  EXPECT_EQ(got, (std::vector<std::pair<Rank, std::uint64_t>>{{Rank(0), 20}, {Rank(1), 10}, {Rank(1), 30}}));
}

TEST_F(OrderedReceivesTest, StayWhereTheSenderIsNamed) {
  EXPECT_FALSE(received(false));
}

}  // namespace
}  // namespace waitdiag

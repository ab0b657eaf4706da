// One tag for all messages, where tags do not decide which receive a message belongs to.
//
// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/trace/derived/untagged.hpp"

#include "tests/unit/trace/builder/trace_builder_fixture.hpp"

namespace waitdiag {
namespace {

class UntaggedTest : public TraceBuilderTest {
 protected:
  // Two messages of rank 0 with tags 5 and 6.
  std::optional<Trace> received_with(std::int32_t first, std::int32_t second) {
    const RegionId send = mpi("MPI_Send"), recv = mpi("MPI_Recv");
    for (const std::int32_t tag : {5, 6}) {
      builder.enter(here, at(10 * tag), send);
      builder.send(here, at(10 * tag), Rank(1), world, tag, 100);
      builder.leave(here, at(10 * tag + 5), send);
    }
    for (const std::int32_t tag : {first, second}) {
      const std::int64_t begin = tag == first ? 100 : 200;
      builder.enter(there, at(begin), recv);
      builder.recv(there, at(begin + 5), Rank(0), world, tag, 100);
      builder.leave(there, at(begin + 5), recv);
    }
    return untagged(build());
  }
};

TEST_F(UntaggedTest, MessagesInOrderNeedNoTags) {
  const std::optional<Trace> trace = received_with(5, 6);
  ASSERT_TRUE(trace);
  for (const Location location : {here, there})
    for (const auto* ends : {&trace->timeline(location).sends(), &trace->timeline(location).receives()})
      for (const MessageEnd& end : *ends) EXPECT_EQ(end.tag, 5);
}

TEST_F(UntaggedTest, OthersDo) {
  EXPECT_FALSE(received_with(6, 5));
}

}  // namespace
}  // namespace waitdiag

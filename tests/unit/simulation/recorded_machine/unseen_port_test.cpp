// How narrow a port may be that nodes share, and that no run fills.
//
// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "analyzer/formats/notation/notation.hpp"
#include "analyzer/simulation/recorded_machine/recorded_machine.hpp"

namespace waitdiag {
namespace {

// Each rank, on a node of its own, exchanges 1000, 10000 and 100000 bytes with another: 2 us and 1 ns per byte.
Trace exchanging_nodes(int ranks) {
  std::string text;
  for (int rank = 0; rank < ranks; ++rank) {
    text += fmt::format("rank {} node n{}\n", rank, rank);
    int now = 0, request = 0;
    for (int step = 0; step < 6; ++step)
      for (const int bytes : {1000, 10000, 100000}) {
        const int other = rank ^ (ranks / 2), posted = now + 5000, done = posted + 2000 + bytes;
        const int receive = ++request, send = ++request;
        text +=
            fmt::format("{}..{} solve\n{}..{} MPI_Irecv request {}\n", now, posted, posted, posted, receive);
        text +=
            fmt::format("{}..{} MPI_Isend to {} bytes {} request {}\n", posted, posted, other, bytes, send);
        text += fmt::format("{}..{} MPI_Waitall completes {} from {} bytes {} completes {}\n", posted, done,
                            receive, other, bytes, send);
        now = done;
      }
  }
  return parse_text(text);
}

TEST(UnseenPort, IsJustAsWideAsTheRunThatSendsMostAtOnceNeeds) {
  const Trace few = exchanging_nodes(4), many = exchanging_nodes(8);
  const RecordedMachine found = find_recorded_machine(std::vector<RunOfMachine>{{&few, "4"}, {&many, "8"}});
  ASSERT_TRUE(found.narrowest);
  const MachineLevel &port = found.narrowest->levels[0], &nodes = found.narrowest->levels[1];
  EXPECT_EQ(port.sharing, Sharing::Bus);
  EXPECT_EQ(nodes.units, 1u);
  EXPECT_NEAR(nodes.intervals[0].ns_per_byte / port.channel_ns_per_byte, 8, 0.8);
}

TEST(UnseenPort, IsNotAskedForInsideOfANode) {
  const Trace trace = parse_text(
      "rank 0 node a\n0..100 MPI_Send to 1 bytes 8\n100..200 solve\n"
      "rank 1 node a\n0..120 MPI_Recv from 0 bytes 8\n120..200 solve\n");
  EXPECT_FALSE(find_recorded_machine(std::vector<RunOfMachine>{{&trace, "run"}}).narrowest);
}

}  // namespace
}  // namespace waitdiag

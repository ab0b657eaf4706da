// Messages that share a port in proportion to the claims of their levels.
//
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include "analyzer/formats/notation/notation.hpp"
#include "analyzer/simulation/machine/machine_text.hpp"
#include "analyzer/simulation/prediction/predict.hpp"

namespace waitdiag {
namespace {

constexpr const char* kNodes = R"(
name = "nodes"
[[level]]
name = "node"
latency = "1 us"
bandwidth = "1 GB/s"
claim = 0.5
[[level]]
name = "core"
units = 2
latency = "1 us"
bandwidth = "1 GB/s"
)";

// Rank 1 gets 3000 bytes from its own node and as many from another one. The near ones take two thirds of its port: 4500 ns;
// 1500 of the others have come by then, and the rest has the port for itself.
TEST(Claims, DivideAPort) {
  const Machine machine = parse_machine(kNodes, "nodes");
  const Trace trace = parse_text(
      "rank 0\n 0..1 MPI_Send to 1 bytes 3000\n"
      "rank 1\n 0..1 MPI_Irecv request 1\n 1..2 MPI_Irecv request 2\n"
      " 2..3 MPI_Wait completes 1 from 0 bytes 3000\n 3..4 MPI_Wait completes 2 from 2 bytes 3000\n"
      "rank 2\n 0..1 MPI_Send to 1 bytes 3000\n");
  const Replayed replayed = Predictor(trace).predict({.machine = machine}, true).run;
  ASSERT_EQ(replayed.times[1].leave.size(), 4u);
  EXPECT_EQ(replayed.times[1].leave[2].time_since_epoch().count(), 1000 + 4500);
  EXPECT_EQ(replayed.times[1].leave[3].time_since_epoch().count(), 1000 + 6000);
  EXPECT_EQ(parse_machine(machine_text(machine, {}), "text").levels[0].claim, 0.5);
}

}  // namespace
}  // namespace waitdiag

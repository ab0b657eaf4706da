// Which call waits for which, row by row of the table in rules.hpp. Calls are written rank.number: 1.0 is the
// first call of rank 1.
//
// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/trace/wait_for_graph/wait_for_graph.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <string>

#include "analyzer/formats/notation/notation.hpp"

namespace waitdiag::test {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

class Graph {
 public:
  explicit Graph(std::string_view text, WaitForOptions options = {}, bool sends_need_receivers = false) {
    const Trace trace = parse_text(text);
    const SyncPoints sync = match(trace);
    const std::vector<std::uint8_t> needs_receiver(sync.messages.size(), sends_need_receivers ? 1 : 0);
    options.needs_receiver = needs_receiver;
    fill(WaitForGraph(trace, sync, options));
  }

  // "1.0 <- 0.0": the first cannot be left before the second has been entered.
  const std::set<std::string>& edges() const { return edges_; }
  std::size_t joins() const { return joins_; }

 private:
  void fill(const WaitForGraph& graph) {
    joins_ = graph.joins();
    const auto name = [&](WaitForGraph::Node node) {
      const OpRef call = graph.call(node);
      return std::to_string(index(call.location)) + "." + std::to_string(call.op);
    };
    for (WaitForGraph::Node call = 0; call < graph.calls(); ++call) {
      for (const WaitForGraph::Node on : graph.of_call(call)) {
        const auto add = [&](WaitForGraph::Node member) {
          if (member != call) edges_.insert(name(call) + " <- " + name(member));
        };
        graph.is_call(on) ? add(on) : graph.for_each_call(on, add);
      }
    }
  }

  std::set<std::string> edges_;
  std::size_t joins_ = 0;
};

constexpr char kMessage[] = R"(
rank 0
 0..10 MPI_Send to 1 bytes 8
rank 1
 5..12 MPI_Recv from 0 bytes 8
)";

TEST(WaitForGraphTest, AReceiveWaitsForItsSend) {
  EXPECT_THAT(Graph(kMessage).edges(), ElementsAre("1.0 <- 0.0"));
}

TEST(WaitForGraphTest, ASendWaitsForItsReceiveOnMachinesWhereItNeedsThat) {
  EXPECT_THAT(Graph(kMessage, {}, true).edges(), ElementsAre("0.0 <- 1.0", "1.0 <- 0.0"));
}

TEST(WaitForGraphTest, KindsOfEdgesCanBeLeftOut) {
  EXPECT_THAT(Graph(kMessage, {.without = {WaitsFor::Message}}).edges(), IsEmpty());
}

constexpr char kContradiction[] = R"(
rank 0
 20..30 MPI_Send to 1 bytes 8
rank 1
 5..12 MPI_Recv from 0 bytes 8
)";

TEST(WaitForGraphTest, WhatTheTimesContradictIsLeftOutUnlessTheTimesAreInDoubt) {
  EXPECT_THAT(Graph(kContradiction).edges(), IsEmpty());
  EXPECT_THAT(Graph(kContradiction, {.contradicted = WaitForOptions::Contradicted::Kept}).edges(),
              ElementsAre("1.0 <- 0.0"));
}

TEST(WaitForGraphTest, InABarrierAllWaitForAll) {
  EXPECT_THAT(
      Graph(R"(
rank 0
 0..30 MPI_Barrier
rank 1
 10..30 MPI_Barrier
rank 2
 20..30 MPI_Barrier
)")
          .edges(),
      ElementsAre("0.0 <- 1.0", "0.0 <- 2.0", "1.0 <- 0.0", "1.0 <- 2.0", "2.0 <- 0.0", "2.0 <- 1.0"));
}

TEST(WaitForGraphTest, InABroadcastAllWaitForTheRoot) {
  EXPECT_THAT(Graph(R"(
rank 0
 0..30 MPI_Bcast root 1 bytes 8
rank 1
 10..30 MPI_Bcast root 1 bytes 8
rank 2
 20..30 MPI_Bcast root 1 bytes 8
)")
                  .edges(),
              ElementsAre("0.0 <- 1.0", "2.0 <- 1.0"));
}

TEST(WaitForGraphTest, InAReductionTheRootWaitsForAll) {
  EXPECT_THAT(Graph(R"(
rank 0
 0..30 MPI_Reduce root 1 bytes 8
rank 1
 10..30 MPI_Reduce root 1 bytes 8
rank 2
 20..30 MPI_Reduce root 1 bytes 8
)")
                  .edges(),
              ElementsAre("1.0 <- 0.0", "1.0 <- 2.0"));
}

TEST(WaitForGraphTest, InAScanEachWaitsForThoseBeforeIt) {
  EXPECT_THAT(
      Graph(R"(
rank 0
 20..30 MPI_Scan bytes 8
rank 1
 0..30 MPI_Scan bytes 8
rank 2
 10..30 MPI_Scan bytes 8
rank 3
 25..30 MPI_Scan bytes 8
)")
          .edges(),
      ElementsAre("1.0 <- 0.0", "2.0 <- 0.0", "2.0 <- 1.0", "3.0 <- 0.0", "3.0 <- 1.0", "3.0 <- 2.0"));
}

TEST(WaitForGraphTest, WhoLeavesAScanTooEarlyWaitedForThoseThatCameMeanwhile) {
  EXPECT_THAT(Graph(R"(
rank 0
 20..30 MPI_Scan bytes 8
rank 1
 5..30 MPI_Scan bytes 8
rank 2
 0..10 MPI_Scan bytes 8
rank 3
 25..30 MPI_Scan bytes 8
)")
                  .edges(),
              ElementsAre("1.0 <- 0.0", "2.0 <- 1.0", "3.0 <- 0.0", "3.0 <- 1.0", "3.0 <- 2.0"));
}

TEST(WaitForGraphTest, WhereBlocksDifferEachWaitsForThoseItHasDataFrom) {
  EXPECT_THAT(Graph(R"(
rank 0
 0..45 MPI_Alltoallv bytes 8 peers 1:8;1:8
rank 1
 20..45 MPI_Alltoallv bytes 16 peers 0:8,2:8;0:8,2:8
rank 2
 40..45 MPI_Alltoallv bytes 8 peers 1:8;1:8
)")
                  .edges(),
              ElementsAre("0.0 <- 1.0", "1.0 <- 0.0", "1.0 <- 2.0", "2.0 <- 1.0"));
}

TEST(WaitForGraphTest, WhereEverybodyHasDataForEverybodyElseAllMeet) {
  const Graph graph(R"(
rank 0
 0..45 MPI_Alltoallv bytes 16 peers 1-2:8;1-2:8
rank 1
 20..45 MPI_Alltoallv bytes 16 peers 0:8,2:8;0:8,2:8
rank 2
 40..45 MPI_Alltoallv bytes 24 peers 0-2:8;0-2:8
)");
  EXPECT_THAT(graph.edges(), ElementsAre("0.0 <- 1.0", "0.0 <- 2.0", "1.0 <- 0.0", "1.0 <- 2.0", "2.0 <- 0.0",
                                         "2.0 <- 1.0"));
  EXPECT_EQ(graph.joins(), 1u);
}

TEST(WaitForGraphTest, EpochsOfWindowsWaitForThoseOfTheirPartners) {
  EXPECT_THAT(Graph(R"(
unit us
comm W = 0 1
rank 0
   0..40  solve
  40..41  MPI_Win_start     rma start with 1 win W
  41..42  MPI_Put           rma put 1 bytes 8 win W
  42..44  MPI_Win_complete  rma complete with 1 win W
rank 1
   0..10  solve
  10..11  MPI_Win_post      rma post with 0 win W
  11..50  MPI_Win_wait      rma wait with 0 win W
)")
                  .edges(),
              ElementsAre("0.2 <- 1.0", "1.1 <- 0.2"));
}

}  // namespace
}  // namespace waitdiag::test

// The wait-for graph is a graph in the sense of Boost.Graph, and its algorithms agree with ours.
//
// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/trace/wait_for_graph/happened_before.hpp"

#include <gtest/gtest.h>

#include <boost/graph/graph_concepts.hpp>
#include <boost/graph/topological_sort.hpp>

#include "analyzer/formats/notation/notation.hpp"

namespace waitdiag::test {
namespace {

BOOST_CONCEPT_ASSERT((boost::IncidenceGraphConcept<HappenedBefore>));
BOOST_CONCEPT_ASSERT((boost::VertexListGraphConcept<HappenedBefore>));

// Two rounds of a ring of messages, with a barrier after each.
constexpr char kRing[] = R"(
rank 0
  0..10 MPI_Send to 1 bytes 8
 10..40 MPI_Recv from 2 bytes 8
 40..50 MPI_Barrier
 60..70 MPI_Send to 1 bytes 8
 70..99 MPI_Recv from 2 bytes 8
rank 1
  0..15 MPI_Recv from 0 bytes 8
 15..25 MPI_Send to 2 bytes 8
 25..50 MPI_Barrier
 50..75 MPI_Recv from 0 bytes 8
 75..80 MPI_Send to 2 bytes 8
rank 2
  0..30 MPI_Recv from 1 bytes 8
 30..35 MPI_Send to 0 bytes 8
 35..50 MPI_Barrier
 50..85 MPI_Recv from 1 bytes 8
 85..90 MPI_Send to 0 bytes 8
)";

class HappenedBeforeTest : public testing::Test {
 protected:
  using Node = WaitForGraph::Node;

  void expect_valid(const std::vector<Node>& order) const {
    ASSERT_EQ(order.size(), num_vertices(view_));
    std::vector<std::size_t> turn(order.size());
    for (std::size_t i = 0; i < order.size(); ++i) turn[order[i]] = i;
    for (const Node vertex : order) {
      const auto [first, last] = out_edges(vertex, view_);
      for (auto edge = first; edge != last; ++edge)
        EXPECT_LT(turn[target(*edge, view_)], turn[vertex]) << target(*edge, view_) << " " << vertex;
    }
  }

  explicit HappenedBeforeTest(const char* text = kRing) : trace_(parse_text(text)) {}

  Trace trace_;
  SyncPoints sync_ = match(trace_);
  std::vector<std::uint8_t> needs_receiver_ = std::vector<std::uint8_t>(sync_.messages.size(), 0);
  WaitForGraph graph_{trace_, sync_, {.needs_receiver = needs_receiver_}};
  HappenedBefore view_{trace_, graph_};
};

TEST_F(HappenedBeforeTest, OurOrderPutsWhatHappenedBeforeFirst) {
  std::vector<Node> order;
  for (const WaitForGraph::Run& run : graph_.order())
    for (Node vertex = run.first; vertex < run.last; ++vertex) order.push_back(vertex);
  expect_valid(order);
}

TEST_F(HappenedBeforeTest, SoDoesBoostsTopologicalSort) {
  std::vector<Node> order;
  boost::topological_sort(view_, std::back_inserter(order));
  expect_valid(order);
}

// Two scans, in which ranks arrive in other orders; between them the last rank holds up the first one.
constexpr char kScans[] = R"(
rank 0
 40..50 MPI_Scan bytes 8
 50..61 MPI_Recv from 3 bytes 8
 61..70 MPI_Scan bytes 8
rank 1
 10..50 MPI_Scan bytes 8
 55..70 MPI_Scan bytes 8
rank 2
 30..50 MPI_Scan bytes 8
 65..70 MPI_Scan bytes 8
rank 3
  0..50 MPI_Scan bytes 8
 60..62 MPI_Send to 0 bytes 8
 62..70 MPI_Scan bytes 8
)";

class ScansHappenedBeforeTest : public HappenedBeforeTest {
 protected:
  ScansHappenedBeforeTest() : HappenedBeforeTest(kScans) {}
};

TEST_F(ScansHappenedBeforeTest, OurOrderPutsWhatHappenedBeforeFirst) {
  std::vector<Node> order;
  for (const WaitForGraph::Run& run : graph_.order())
    for (Node vertex = run.first; vertex < run.last; ++vertex) order.push_back(vertex);
  expect_valid(order);
  EXPECT_EQ(graph_.joins(), 4u);  // of two members and of three, twice
}

// A call has edges to the call before it, and to the calls before those it waits for, if there are any.
TEST_F(HappenedBeforeTest, EdgesLeadToTheEndsBeforeTheCallsWaitedFor) {
  const Node second_receive_of_1 = graph_.node({Location(1), 3});
  const auto [first, last] = out_edges(second_receive_of_1, view_);
  std::vector<Node> targets;
  for (auto edge = first; edge != last; ++edge) targets.push_back(target(*edge, view_));
  EXPECT_EQ(targets, (std::vector<Node>{graph_.node({Location(1), 2}), graph_.node({Location(0), 2})}));
  EXPECT_EQ(out_degree(graph_.node({Location(1), 0}), view_), 0u);
}

}  // namespace
}  // namespace waitdiag::test

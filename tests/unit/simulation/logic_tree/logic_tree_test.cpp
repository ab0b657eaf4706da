// The application logic tree: what is folded, what adds up, what a small run looks like.
//
// SPDX-License-Identifier: BSD-3-Clause
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

#include "analyzer/formats/notation/notation.hpp"
#include "analyzer/simulation/logic_tree/logic_tree.hpp"
#include "analyzer/simulation/prediction/prediction_report.hpp"
#include "analyzer/trace/builder/trace_builder.hpp"
#include "tests/support/json_schema.hpp"
#include "tests/support/places.hpp"

namespace waitdiag {
namespace {

using testing::HasSubstr;

struct Made {
  LogicTree tree;
  double path_s = 0;
};

Made made(const Trace& trace, Fold fold) {
  const Scenario scenario{.machine = find_machine("mvs-15k")};
  const Predictor predictor(trace);
  const Trace run = predictor.trace_of(predictor.predict(scenario, true), scenario);
  const PredictedPath path(run, scenario);
  return {make_logic_tree(run, path.sync, path.dependencies, path.activities, path.path, fold),
          seconds(path.path.total)};
}

// Every rank computes, swaps halos with both neighbours and takes part in an Allreduce; rank 3 computes
// longest.
Trace halo(int ranks, int steps) {
  TraceBuilder builder;
  Communicator world{.name = "MPI_COMM_WORLD"};
  for (int rank = 0; rank < ranks; ++rank) world.members.push_back(Rank(rank));
  const CommId comm = builder.communicator(world);
  const RegionId solve = builder.region({.name = "solve", .kind = CallKind::Computation});
  const RegionId exchange = builder.region({.name = "MPI_Sendrecv"});
  const RegionId reduce = builder.region({.name = "MPI_Allreduce"});
  for (int rank = 0; rank < ranks; ++rank) {
    const Location location = builder.location({.rank = Rank(rank)});
    std::int64_t now = 0;
    builder.seen(location, at(0));
    for (int step = 0; step < steps; ++step) {
      builder.enter(location, at(now), solve);
      builder.leave(location, at(now += rank == 3 ? 70'000 : 50'000), solve);
      for (const int by : {1, ranks - 1}) {
        builder.enter(location, at(now), exchange);
        builder.send(location, at(now), Rank((rank + by) % ranks), comm, by, 8192);
        builder.recv(location, at(++now), Rank((rank + ranks - by) % ranks), comm, by, 8192);
        builder.leave(location, at(now), exchange);
      }
      builder.enter(location, at(now), reduce);
      builder.collective_begin(location, at(now));
      builder.collective_end(location, at(++now), CollectiveKind::Allreduce, comm, kNoRank, 8, 8);
      builder.leave(location, at(now), reduce);
    }
    builder.finish(location);
  }
  return builder.build();
}

double on_longest_path(const LogicTree& tree) {
  double sum = 0;
  for (const LogicTree::Vertex& vertex : tree.vertices) sum += vertex.critical_s;
  for (const LogicTree::Edge& edge : tree.edges) sum += edge.critical_s;
  return sum;
}

template <typename Figure>
std::uint64_t computed(const LogicTree& tree, Figure figure) {
  std::uint64_t sum = 0;
  for (const LogicTree::Vertex& vertex : tree.vertices)
    if (vertex.kind == LogicTree::Vertex::Kind::Computation) sum += figure(vertex);
  return sum;
}

TEST(LogicTree, AHaloCodeOfManyRanksAndStepsCanBeLookedAt) {
  const Trace trace = halo(64, 100);
  const auto [folded, path] = made(trace, Fold::Iterations);
  EXPECT_LE(folded.vertices.size(), 12u);
  EXPECT_LE(folded.edges.size(), 40u);
  EXPECT_NEAR(on_longest_path(folded), path, 1e-9);
  const auto iterations =
      std::ranges::max_element(folded.vertices, {}, &LogicTree::Vertex::occurrences)->iterations;
  EXPECT_EQ(iterations, 100u);
}

TEST(LogicTree, FoldingKeepsTheSums) {
  const Trace trace = halo(12, 5);
  const auto [folded, path] = made(trace, Fold::Iterations);
  const auto [full, same_path] = made(trace, Fold::Nothing);
  EXPECT_EQ(path, same_path);
  EXPECT_NEAR(on_longest_path(full), path, 1e-9);
  const auto occurrences = [](const LogicTree::Vertex& vertex) { return vertex.occurrences; };
  const auto visits = [](const LogicTree::Vertex& vertex) {
    std::uint64_t sum = 0;
    for (const LogicTree::Unit& unit : vertex.units) sum += unit.count;
    return sum;
  };
  EXPECT_EQ(computed(folded, occurrences), computed(full, occurrences));
  EXPECT_EQ(computed(folded, visits), 12u * 5);
  EXPECT_EQ(computed(full, visits), 12u * 5);
  std::uint64_t bytes = 0;
  for (const LogicTree::Edge& edge : folded.edges)
    if (edge.kind == LogicTree::EdgeKind::Message) bytes += edge.bytes;
  EXPECT_EQ(bytes, 12u * 5 * 2 * 8192);
}

TEST(LogicTree, AMessageThatIsWaitedForLiesOnTheLongestPath) {
  const Trace trace = parse_text(
      "rank 0\n 0..40000 solve\n 40000..40010 MPI_Send to 1 bytes 64\n"
      "rank 1\n 0..100 rest\n 100..40020 MPI_Recv from 0 bytes 64\n");
  const auto [tree, path] = made(trace, Fold::Iterations);
  ASSERT_EQ(tree.vertices.size(), 3u);
  EXPECT_EQ(tree.vertices[0].name, "solve");
  EXPECT_EQ(tree.vertices[0].critical, 1u);
  EXPECT_EQ(tree.vertices[1].name, "rest");
  EXPECT_EQ(tree.vertices[1].critical, 0u);
  const auto message = std::ranges::find(tree.edges, LogicTree::EdgeKind::Message, &LogicTree::Edge::kind);
  ASSERT_NE(message, tree.edges.end());
  EXPECT_EQ(message->from, 0u);
  EXPECT_EQ(message->to, 2u);
  EXPECT_EQ(message->bytes, 64u);
  EXPECT_EQ(message->critical, 1u);
  EXPECT_NEAR(on_longest_path(tree), path, 1e-12);
}

TEST(LogicTree, IsWrittenAsItsSchemaSaysAndForGraphviz) {
  for (const Fold fold : {Fold::Iterations, Fold::Nothing}) {
    const LogicTree tree = made(halo(9, 2), fold).tree;
    std::ostringstream json, dot;
    write_logic_tree_json(tree, json);
    EXPECT_EQ(test::schema_complaints(test::logic_tree_schema(), nlohmann::json::parse(json.str())), "");
    write_logic_tree_dot(tree, dot);
    EXPECT_THAT(dot.str(), HasSubstr("digraph"));
    EXPECT_THAT(dot.str(), HasSubstr("solve"));
    EXPECT_THAT(dot.str(), HasSubstr("MPI_Allreduce"));
  }
}

}  // namespace
}  // namespace waitdiag

// Partners that no rule gives: the target's are like those of the runs, drawn at random.
//
// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/scaling/rank_laws/drawn_partners.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <deque>
#include <set>

#include "analyzer/scaling/rescaling/rescale.hpp"
#include "tests/unit/scaling/rescaling/small_programs.hpp"

namespace waitdiag {
namespace {

using test::RankOfProgram;

// In [0, 1), the same in each run.
double chance(int a, int b) {
  std::uint32_t x =
      2654435761U * static_cast<std::uint32_t>(a + 1) + 40503U * static_cast<std::uint32_t>(b + 1);
  x = (x ^ (x >> 15)) * 2246822519U;
  x = (x ^ (x >> 13)) * 3266489917U;
  return static_cast<double>((x ^ (x >> 16)) % 1000003U) / 1000003.0;
}

class DrawnPartners : public testing::Test {
 protected:
  using Connected = bool (*)(int from, int to, int ranks);
  RecordedGraph recorded(Connected connected, double (*bytes)(int, int)) const {
    RecordedGraph graph;
    for (std::size_t run = 0; run < study_.sizes.size(); ++run) {
      graph.instances.push_back({run, {}});
      GraphEdges& edges = graph.edges.emplace_back();
      const int ranks = study_.sizes[run].ranks;
      for (int from = 0; from < ranks; ++from)
        for (int to = 0; to < ranks; ++to)
          if (from != to && connected(from, to, ranks)) edges[{from, to}] = {bytes(from, to)};
    }
    return graph;
  }
  static std::set<std::pair<int, int>> edges(const waitdiag::DrawnPartners& partners) {
    std::set<std::pair<int, int>> all;
    for (std::size_t rank = 0; rank < partners.of_rank.size(); ++rank)
      for (const DrawnPartner& one : partners.of_rank[rank]) all.emplace(static_cast<int>(rank), one.rank);
    return all;
  }
  static double same_bytes(int, int) { return 1000; }

  Study study_{.sizes = {{.ranks = 8}, {.ranks = 16}, {.ranks = 32}, {.ranks = 64}},
               .target = {.ranks = 256},
               .draw = 1};
};

bool three_ranks_on(int from, int to, int ranks) {
  return to == (5 * from + 3) % ranks;
}
bool by_chance(int from, int to, int ranks) {
  return chance(std::min(from, to), std::max(from, to)) < 5.0 / ranks;
}
bool near(int from, int to, int) {
  const int apart = std::abs(from - to);
  return apart <= 3 && chance(std::min(from, to), apart) < 0.6;
}

TEST_F(DrawnPartners, AreOneForEachWhereEachHasOne) {
  PartnerDraws draws(study_);
  const DrawnGraph graph = draws.draw(recorded(three_ranks_on, same_bytes));
  for (const auto* side : {graph.to.get(), graph.from.get()})
    for (std::size_t rank = 0; rank < side->of_rank.size(); ++rank) {
      ASSERT_EQ(side->of_rank[rank].size(), 1u) << rank;
      EXPECT_NE(side->of_rank[rank].front().rank, static_cast<int>(rank));
    }
}

TEST_F(DrawnPartners, AreAsManyAsInTheRuns) {
  PartnerDraws draws(study_);
  const DrawnGraph graph = draws.draw(recorded(by_chance, same_bytes));
  const std::set<std::pair<int, int>> all = edges(*graph.to);
  EXPECT_NEAR(static_cast<double>(all.size()) / 256, 5, 0.5);
  for (const auto& [from, to] : all) EXPECT_TRUE(all.contains({to, from})) << from << " " << to;
  EXPECT_EQ(edges(*graph.from).size(), all.size());
}

TEST_F(DrawnPartners, AreAsFarAwayAsTheyAreInRunsOfAllSizes) {
  PartnerDraws draws(study_);
  double distance = 0, far = 0;
  const std::set<std::pair<int, int>> here = edges(*draws.draw(recorded(near, same_bytes)).to);
  for (const auto& [from, to] : here) distance += std::abs(from - to);
  EXPECT_LT(distance / static_cast<double>(here.size()), 4);
  const std::set<std::pair<int, int>> anywhere = edges(*draws.draw(recorded(by_chance, same_bytes)).to);
  for (const auto& [from, to] : anywhere) far += std::abs(from - to);
  EXPECT_NEAR(far / static_cast<double>(anywhere.size()), 256.0 / 3, 256.0 / 10);
}

TEST_F(DrawnPartners, GetBytesInTheSameProportions) {
  PartnerDraws draws(study_);
  const DrawnGraph graph = draws.draw(
      recorded(by_chance, [](int from, int to) { return (from + to) % 2 == 0 ? 1000.0 : 3000.0; }));
  double sum = 0, count = 0;
  for (const auto& partners : graph.to->of_rank)
    for (const DrawnPartner& one : partners) {
      sum += one.ratio;
      ++count;
    }
  EXPECT_NEAR(sum / count, 1, 0.1);
}

TEST_F(DrawnPartners, AreTheSameInEachStepAndTurnedRoundWhereTheRunsAre) {
  PartnerDraws draws(study_);
  const DrawnGraph graph = draws.draw(recorded(three_ranks_on, same_bytes));
  EXPECT_EQ(draws.draw(recorded(three_ranks_on, [](int, int) { return 7.0; })).to, graph.to);
  const auto back = [](int from, int to, int ranks) { return three_ranks_on(to, from, ranks); };
  EXPECT_EQ(draws.draw(recorded(back, same_bytes)).to, graph.from);
  study_.draw = 2;
  EXPECT_NE(edges(*PartnerDraws(study_).draw(recorded(three_ranks_on, same_bytes)).to), edges(*graph.to));
}

// Whoever has no partner posts nothing; who has several posts and completes each.
void step_of_graph(RankOfProgram& r) {
  for (int other = 0; other < r.ranks; ++other)
    if (other != r.rank && chance(std::min(other, r.rank), std::max(other, r.rank)) < 3.0 / r.ranks) {
      r.irecv(other, 4096);
      r.compute(100);  // packs
      r.isend(other, 4096);
    }
  r.wait_all();
  r.compute(1'000'000);
}

Trace rescaled_graph(const std::vector<int>& sizes, int target, RescaleFacts& facts) {
  std::deque<Trace> traces;
  std::vector<SizedRun> runs;
  for (const int ranks : sizes) {
    traces.push_back(test::run_of(
        [](RankOfProgram& r) {
          for (int step = 0; step < 3; ++step) step_of_graph(r);
          r.allreduce();
        },
        ranks));
    runs.push_back({{&traces.back(), std::to_string(ranks)}, {.ranks = ranks}});
  }
  Rescaler rescaler(runs, {.ranks = target}, {});
  facts = rescaler.facts();
  return rescaler.trace();
}

TEST(DrawnRun, OfAGraphByChanceIsComplete) {
  RescaleFacts facts;
  const Trace trace = rescaled_graph({4, 8, 16, 32}, 64, facts);
  EXPECT_GT(facts.drawn, 0u);
  std::multiset<std::pair<int, int>> sent, received;
  for (int rank = 0; rank < 64; ++rank) {
    const Timeline& timeline = trace.timeline(trace.main_location(Rank(rank)));
    for (const MessageEnd& end : timeline.sends()) {
      EXPECT_NE(end.completed, kNoOp);
      sent.emplace(rank, static_cast<int>(end.peer));
    }
    for (const MessageEnd& end : timeline.receives()) {
      EXPECT_NE(end.completed, kNoOp);
      received.emplace(static_cast<int>(end.peer), rank);
    }
  }
  EXPECT_EQ(sent, received);
  EXPECT_EQ(sent.size(), facts.drawn);
  EXPECT_NEAR(static_cast<double>(sent.size()) / 3 / 64, 3, 0.6);
}

TEST(DrawnRun, NeedsRunsOfSeveralSizes) {
  RescaleFacts facts;
  EXPECT_THROW(rescaled_graph({32}, 64, facts), TraceError);
}

}  // namespace
}  // namespace waitdiag

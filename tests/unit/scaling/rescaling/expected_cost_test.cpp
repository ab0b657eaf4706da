// How many calls a much larger run would make, beside how many it does.
//
// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/scaling/rescaling/expected_cost.hpp"

#include <gtest/gtest.h>

#include <deque>

#include "tests/unit/scaling/rescaling/rescaled_programs.hpp"

namespace waitdiag {
namespace {

using test::RankOfProgram;

// Calls of a rank, of all iterations.
double expected_calls(const test::SmallProgram& program, const std::vector<int>& sizes, int target) {
  std::deque<Trace> traces;
  std::vector<SizedRun> runs;
  for (const int ranks : sizes) {
    traces.push_back(run_of(program, ranks));
    runs.push_back({{&traces.back(), "run-" + std::to_string(ranks)}, {.ranks = ranks}});
  }
  return expected_cost(runs, {.ranks = target}, true).calls / target;
}

double real_calls(const test::SmallProgram& program, int ranks) {
  const Trace trace = run_of(program, ranks);
  double all = 0;
  for (const Timeline& timeline : trace.timelines()) all += static_cast<double>(timeline.size());
  return all / ranks;
}

void exchange_around(RankOfProgram& r, int by) {
  r.sendrecv((r.rank + by) % r.ranks, (r.rank + r.ranks - by) % r.ranks, 512);
}

TEST(ExpectedCost, CallsThatDoNotGrowStayAsMany) {
  const auto program = test::each_step([](RankOfProgram& r) { exchange_around(r, 1); });
  EXPECT_NEAR(expected_calls(program, {4, 8, 16}, 1 << 20), real_calls(program, 16), 0.01);
  EXPECT_NEAR(expected_calls(program, {16}, 1 << 20), real_calls(program, 16), 0.01);
}

TEST(ExpectedCost, TurnsOfATreeGrowByAsManyWithEachDoubling) {
  const auto program = test::each_step([](RankOfProgram& r) {
    for (int by = 1; by < r.ranks; by *= 2) exchange_around(r, by);
  });
  for (const std::vector<int>& sizes : {std::vector{4, 8, 16}, {4, 16, 32}, {8, 16}})
    EXPECT_NEAR(expected_calls(program, sizes, 256), real_calls(program, 256),
                0.01 * real_calls(program, 256));
}

TEST(ExpectedCost, TurnsOfARingDoubleWithEachDoubling) {
  const auto program = test::each_step([](RankOfProgram& r) {
    for (int i = 1; i < r.ranks; ++i) exchange_around(r, 1);
  });
  for (const std::vector<int>& sizes : {std::vector{4, 8, 16}, {2, 4, 8}, {4, 8, 32}})
    EXPECT_NEAR(expected_calls(program, sizes, 128), real_calls(program, 128),
                0.1 * real_calls(program, 128));
}

}  // namespace
}  // namespace waitdiag

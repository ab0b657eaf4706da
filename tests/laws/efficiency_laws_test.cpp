// What must hold for the efficiencies of the parts of a run, wherever its steps begin.
//
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <algorithm>

#include "analyzer/efficiency/part_efficiency.hpp"
#include "tests/laws/random_run.hpp"

namespace waitdiag::test {
namespace {

Steps random_steps(const Trace& trace, std::uint64_t seed, std::uint32_t count) {
  Dice dice(seed);
  std::vector<std::vector<std::uint32_t>> first_gap;
  for (const Timeline& timeline : trace.timelines()) {
    std::vector<std::uint32_t>& gaps = first_gap.emplace_back();
    for (std::uint32_t i = 0; i <= count; ++i)
      gaps.push_back(static_cast<std::uint32_t>(dice.roll(timeline.gaps())));
    std::sort(gaps.begin(), gaps.end());
  }
  return {StepSource::Marks, count, first_gap};
}

class EfficiencyLaws : public testing::TestWithParam<std::uint64_t> {};

TEST_P(EfficiencyLaws, PartsAddUpToTheRun) {
  const Trace trace = RandomRun({.seed = GetParam(), .ranks = 5}).trace();
  const WaitStates states = detect(trace, match(trace), {});
  const auto count = static_cast<std::uint32_t>(1 + GetParam() % 9);
  const Steps steps = random_steps(trace, GetParam(), count);
  const std::vector<PartEfficiency> parts = efficiency_by_part(trace, states, steps, 4);
  ASSERT_FALSE(parts.empty());
  TimeTotals of_kinds[5];
  for (const PartEfficiency& row : parts) of_kinds[static_cast<int>(row.part.kind)].add(row.totals);
  TimeTotals outside_and_in = of_kinds[static_cast<int>(Part::Kind::BeforeSteps)];
  outside_and_in.add(of_kinds[static_cast<int>(Part::Kind::Steps)]);
  outside_and_in.add(of_kinds[static_cast<int>(Part::Kind::AfterSteps)]);
  const TimeTotals run = time_totals(trace, states);
  const auto expect_equal = [](const TimeTotals& a, const TimeTotals& b) {
    EXPECT_EQ(a.total, b.total);
    EXPECT_EQ(a.mpi, b.mpi);
    EXPECT_EQ(a.waiting, b.waiting);
  };
  expect_equal(run, parts.front().totals);
  expect_equal(run, outside_and_in);
  expect_equal(of_kinds[static_cast<int>(Part::Kind::Steps)],
               of_kinds[static_cast<int>(Part::Kind::SomeSteps)]);
}

TEST_P(EfficiencyLaws, EveryPartHasATreeLikeTheRun) {
  const Trace trace = RandomRun({.seed = GetParam(), .ranks = 5}).trace();
  const WaitStates states = detect(trace, match(trace), {});
  const Steps steps = random_steps(trace, GetParam(), 6);
  const std::vector<PartEfficiency> parts = efficiency_by_part(trace, states, steps, 6);
  EXPECT_EQ(parts.front().tree.parallel, efficiency(trace, states).parallel);
  EXPECT_EQ(parts.front().tree.transfer, efficiency(trace, states).transfer);
  for (const PartEfficiency& row : parts) {
    const EfficiencyTree& tree = row.tree;
    for (const double share : {tree.load_balance, tree.serialisation, tree.transfer})
      EXPECT_FALSE(share > 1 + 1e-12);  // undefined where nobody computed
    EXPECT_NEAR(tree.parallel * static_cast<double>(row.time.count()) * 5,
                static_cast<double>(row.totals.computation().count()), 1);
    if (row.totals.computation() > Duration::zero()) {
      EXPECT_NEAR(tree.parallel, tree.load_balance * tree.serialisation * tree.transfer, 1e-12);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Seeds, EfficiencyLaws, testing::Range<std::uint64_t>(1, 21));

}  // namespace
}  // namespace waitdiag::test

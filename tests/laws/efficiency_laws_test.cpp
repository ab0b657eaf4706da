// What must hold for the efficiencies of the parts of a run, wherever its steps begin.
//
// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <string>

#include "analyzer/diagnosis/activities/profile.hpp"
#include "analyzer/diagnosis/efficiency/part_efficiency.hpp"
#include "analyzer/diagnosis/steps/step_matrix.hpp"
#include "analyzer/formats/notation/notation.hpp"
#include "tests/laws/random_run.hpp"

namespace waitdiag::test {
namespace {

Steps random_steps(const Trace& trace, std::uint64_t seed, std::uint32_t count) {
  Dice dice(seed);
  std::vector<std::vector<StepBegin>> begins;
  for (const Timeline& timeline : trace.timelines()) {
    std::vector<StepBegin>& mine = begins.emplace_back();
    for (std::uint32_t i = 0; i <= count; ++i)
      mine.push_back({static_cast<std::uint32_t>(dice.roll(timeline.gaps()))});
    std::ranges::sort(mine, {}, &StepBegin::gap);
  }
  return {StepSource::Marks, count, begins};
}

class EfficiencyLaws : public testing::TestWithParam<std::uint64_t> {};

void expect_parts_to_add_up(const Trace& trace, const Steps& steps) {
  const WaitStates states = detect(trace, match(trace), {});
  const std::vector<PartEfficiency> parts = efficiency_by_part(trace, states, steps, 4);
  ASSERT_FALSE(parts.empty());
  TimeTotals of_kinds[5];
  for (const PartEfficiency& row : parts) of_kinds[static_cast<int>(row.part.kind)].add(row.totals);
  TimeTotals outside_and_in = of_kinds[static_cast<int>(Part::Kind::BeforeSteps)];
  outside_and_in.add(of_kinds[static_cast<int>(Part::Kind::Steps)]);
  outside_and_in.add(of_kinds[static_cast<int>(Part::Kind::AfterSteps)]);
  const TimeTotals run = time_totals(trace, states, Pollers::Count);
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

TEST_P(EfficiencyLaws, PartsAddUpToTheRun) {
  const Trace trace = RandomRun({.seed = GetParam(), .ranks = 5}).trace();
  expect_parts_to_add_up(trace,
                         random_steps(trace, GetParam(), static_cast<std::uint32_t>(1 + GetParam() % 9)));
}

// Runs with marks anywhere in their computation, which is known exactly or by samples.
class MarkedSteps : public testing::TestWithParam<std::uint64_t> {
 protected:
  Trace trace_ =
      RandomRun({.seed = GetParam(), .ranks = 5, .sampled = GetParam() % 2 == 0, .marks = true}).trace();
  Steps steps_ = find_steps(trace_);
};

TEST_P(MarkedSteps, AddUpToTheRun) {
  ASSERT_EQ(steps_.source(), StepSource::Marks);
  expect_parts_to_add_up(trace_, steps_);
}

// A mark divides computation at its time.
TEST_P(MarkedSteps, DivideComputationByTime) {
  for (const Timeline& timeline : trace_.timelines())
    timeline.for_each_part([&](const GapPart& part) {
      Duration sum{};
      for (const ComputationPiece& piece : timeline.pieces(part)) sum += piece.time;
      EXPECT_EQ(sum, part.length());
    });
}

// All of the run lies in steps.
TEST_P(MarkedSteps, SpreadTimeAndExecutionsOfTheRun) {
  std::vector<CallPathId> paths{kNoCallPath};
  for (std::uint32_t path = 0; path < trace_.call_paths().size(); ++path) paths.push_back(CallPathId(path));
  const WaitStates states = detect(trace_, match(trace_), {});
  const Activities activities(trace_);
  const Profile whole = profile(trace_, activities);
  const auto spreads = spread_over_steps(trace_, states, activities, steps_, paths, {.overview_columns = 16});
  double time = 0, visits = 0;
  for (const CallPathSpread& spread : spreads) {
    const StepMatrix& steps = spread.overview;
    for (std::size_t rank = 0; rank < trace_.ranks(); ++rank) {
      const auto row = [&](const std::vector<double>& cells) {
        const auto begin = cells.begin() + static_cast<std::ptrdiff_t>(rank * steps.columns);
        return std::accumulate(begin, begin + static_cast<std::ptrdiff_t>(steps.columns), 0.0);
      };
      EXPECT_NEAR(row(steps.time), spread.rank_time[rank], 1e-3);
      EXPECT_EQ(row(steps.visits), spread.rank_visits[rank]);
      time += spread.rank_time[rank];
      visits += spread.rank_visits[rank];
    }
  }
  for (const auto& entry : whole.entries) {
    time -= entry.nanoseconds;
    visits -= static_cast<double>(entry.visits);
  }
  for (const WaitState& wait : states.waits) time += static_cast<double>(wait.wait.count());
  EXPECT_NEAR(time, 0, 1);
  EXPECT_EQ(visits, 0);
}

INSTANTIATE_TEST_SUITE_P(Seeds, MarkedSteps, testing::Range<std::uint64_t>(1, 21));

// Ten iterations of 400: assemble takes 50 on rank 0 and 200 on rank 1, then there are a barrier until 210
// and 190 of solve. A step begins `before_end` before the end of each iteration.
std::string loop_with_steps(int before_end) {
  std::string text;
  for (const int assembly : {50, 200}) {
    text += assembly == 50 ? "rank 0\n" : "rank 1\n";
    for (int begin = 0; begin < 4000; begin += 400) {
      const auto line = [&](int from, int to, const char* what) {
        text += fmt::format("{}..{} {}\n", begin + from, begin + to, what);
      };
      line(0, assembly, "main/assemble");
      line(assembly, 210, "MPI_Barrier");
      text += fmt::format("step {}\n", begin + 400 - before_end);
      line(210, 400, "main/solve");
    }
  }
  return text;
}

TEST(MarkedStepsOfALoop, AreAsEfficientWhereverTheyBegin) {
  for (const int before_end : {0, 10, 95, 180, 190}) {
    const Trace trace = parse_text(loop_with_steps(before_end));
    const WaitStates states = detect(trace, match(trace), {});
    std::size_t whole = 0;
    for (const PartEfficiency& row : efficiency_by_part(trace, states, find_steps(trace), 10)) {
      if (row.part.kind != Part::Kind::SomeSteps || row.part.last_step == 9) continue;
      ++whole;
      EXPECT_EQ(row.time, Duration(400));
      EXPECT_EQ(row.totals.waiting, Duration(150));
      EXPECT_EQ(row.totals.computation(), Duration(240 + 390));
    }
    EXPECT_EQ(whole, 9u) << before_end;
  }
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
      EXPECT_FALSE(share > 1 + 1e-12);  // undefined where no rank computed
    EXPECT_NEAR(tree.parallel * static_cast<double>(row.time.count()) * 5,
                static_cast<double>(row.totals.computation().count()), 1);
    if (row.totals.computation() > Duration::zero()) {
      EXPECT_NEAR(tree.parallel, tree.load_balance * tree.serialisation * tree.transfer, 1e-12);
    }
  }
}

// Parts of the run by the critical path, and their efficiencies.
class PathLaws : public EfficiencyLaws {
 protected:
  std::vector<PartEfficiency> rows_of(const PartsInTime& parts, std::uint32_t most_groups) {
    const Retimed ideal = retime(trace_, dependencies_, {.savings = {}, .no_transfer = true});
    WhatIf what_if;
    what_if.ideal_runtime = ideal.last_end - trace_.begin();
    what_if.path = path_;
    what_if.parts = part_times(trace_, dependencies_, path_, parts.run());
    std::vector<PartEfficiency> rows = efficiency_by_part(trace_, states_, steps_, most_groups);
    add_critical_path(parts, what_if, rows);
    return rows;
  }

  Trace trace_ = RandomRun({.seed = GetParam(), .ranks = 5}).trace();
  SyncPoints sync_ = match(trace_);
  WaitStates states_ = detect(trace_, sync_, {});
  Dependencies dependencies_{trace_, sync_, states_};
  CriticalPath path_ = critical_path(trace_, dependencies_, Activities(trace_));
  Steps steps_ = random_steps(trace_, GetParam(), 6);
};

// On the path no part can take less than the longest computation of one process in it, nor more than it took.
TEST_P(PathLaws, EveryPartHasATree) {
  const PartsInTime parts(trace_, steps_, 4);
  for (const PartEfficiency& row : rows_of(parts, 4)) {
    const EfficiencyTree& tree = row.on_path;
    EXPECT_EQ(tree.parallel, row.tree.parallel);
    EXPECT_EQ(tree.load_balance, row.tree.load_balance);
    EXPECT_FALSE(tree.transfer > 1 + 1e-12);
    EXPECT_FALSE(tree.serialisation > 1 + 1e-12);
    if (row.totals.computation() > Duration::zero()) {
      EXPECT_NEAR(tree.parallel, tree.load_balance * tree.serialisation * tree.transfer, 1e-12);
    }
  }
}

TEST_P(PathLaws, PartsMakeUpThePath) {
  const PartsInTime parts(trace_, steps_, 4);
  Duration of_kinds[5]{};
  for (const PartEfficiency& row : rows_of(parts, 4))
    of_kinds[static_cast<int>(row.part.kind)] += row.path_time;
  const auto of_kind = [&](Part::Kind kind) { return of_kinds[static_cast<int>(kind)]; };
  EXPECT_GT(path_.total, Duration::zero());
  EXPECT_EQ(of_kind(Part::Kind::Run), path_.total);
  EXPECT_EQ(of_kind(Part::Kind::BeforeSteps) + of_kind(Part::Kind::Steps) + of_kind(Part::Kind::AfterSteps),
            path_.total);
  EXPECT_EQ(of_kind(Part::Kind::SomeSteps), of_kind(Part::Kind::Steps));
}

// A single step that is the whole run takes as long as the run without any transfer.
TEST_P(PathLaws, APartThatIsTheRunIsTheRunOnAnIdealNetwork) {
  std::vector<std::vector<StepBegin>> begins;
  for (const Timeline& timeline : trace_.timelines())
    begins.push_back({{0}, {static_cast<std::uint32_t>(timeline.gaps())}});
  steps_ = Steps(StepSource::Marks, 1, begins);
  const Retimed ideal = retime(trace_, dependencies_, {.savings = {}, .no_transfer = true});
  Duration longest{};
  for (std::size_t l = 0; l < ideal.end.size(); ++l)
    longest = std::max(longest, ideal.end[l] - trace_.timelines()[l].begin());
  const PartsInTime parts(trace_, steps_, 4);
  const PartTimes times = part_times(trace_, dependencies_, path_, parts.run());
  EXPECT_EQ(times.ideal[parts.number({.kind = Part::Kind::Steps})], longest);
  EXPECT_EQ(times.ideal[parts.number({.kind = Part::Kind::SomeSteps})], longest);
}

INSTANTIATE_TEST_SUITE_P(Seeds, PathLaws, testing::Range<std::uint64_t>(1, 21));
INSTANTIATE_TEST_SUITE_P(Seeds, EfficiencyLaws, testing::Range<std::uint64_t>(1, 21));

}  // namespace
}  // namespace waitdiag::test

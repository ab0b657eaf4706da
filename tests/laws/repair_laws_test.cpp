// The gain of a repair, computed in two ways: by re-timing the run (as in the report), and by replaying it on
// the machine it comes from, with the same pieces of computation removed.
//
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "analyzer/diagnosis/causes/delay_costs.hpp"
#include "analyzer/diagnosis/causes/leading_causes.hpp"
#include "analyzer/diagnosis/repairs/savings.hpp"
#include "analyzer/simulation/prediction/predict.hpp"
#include "analyzer/simulation/replayed_gains/replayed_gains.hpp"
#include "tests/laws/random_run_laws.hpp"

namespace waitdiag::test {
namespace {

class RepairLaws : public RandomRunLaws {};

// No shared ports: the cost of a message does not depend on when it is sent.
Machine quick_machine() {
  Machine machine;
  machine.name = "quick";
  machine.eager_bytes = machine.detached_bytes = 2000;
  machine.levels.resize(1);
  machine.levels[0].name = "core";
  machine.levels[0].sharing = Sharing::None;
  machine.levels[0].intervals = {{0, 20, 0.01}};
  return machine;
}

struct Repaired {
  Trace run;
  SyncPoints sync;
  std::vector<Change> changes;
  std::vector<Time> retimed;
};

Repaired repaired(const Trace& recorded, const Machine& machine) {
  const Predictor predictor(recorded);
  Trace run = predictor.trace_of(predictor.predict({.machine = machine}, true), {.machine = machine});
  SyncPoints sync = match(run);
  const WaitStates states = detect(run, sync, waits_on(machine));
  const auto intervals = causal_intervals(run, sync, states);
  const Activities activities(run);
  const ActivitySums sums(run, activities, states);
  const DelayCosts costs =
      attribute(run, states, intervals, activities, sums, std::vector<bool>(activities.slots(), true), {});
  const Dependencies dependencies(run, sync, states);
  std::vector<Change> changes =
      repairs(run, states, intervals, activities, sums, dependencies, profile(run, activities),
              find_steps(run), leading_causes(costs, 5, 0.02));
  std::vector<Time> retimed = retimed_ends(run, dependencies, changes);
  return {std::move(run), std::move(sync), std::move(changes), std::move(retimed)};
}

// Both have the same waits, but not the same transfers: in re-timing a call keeps its own time, while in the
// replay rooted operations pass through other ranks, and a receiver that arrives earlier than before may find
// its message still on its way. On these runs that is at most 4 % of the run time.
TEST_P(RepairLaws, TimedAgainAndReplayedARepairIsWorthTheSame) {
  constexpr double kSame = 0.05;
  const Machine machine = quick_machine();
  const Repaired repair = repaired(run(), machine);
  const Placement placement(machine, repair.run.ranks());
  const CollectiveTable collectives = find_collectives(machine.collectives);
  const auto runtime = static_cast<double>((repair.run.end() - repair.run.begin()).count());
  for (std::size_t i = 0; i < repair.changes.size(); ++i) {
    if (!of_computation_only(repair.changes[i])) continue;
    const Program program =
        make_program(repair.run, repair.sync, gaps_without(repair.run, repair.changes[i]));
    const Replayed replayed = replay(program, {machine, placement, collectives}, false);
    ASSERT_TRUE(replayed.cycle.empty());
    const auto difference = static_cast<double>((replayed.end - repair.retimed[i]).count());
    EXPECT_LE(std::abs(difference), kSame * runtime) << i << ": " << difference << " of " << runtime;
  }
}

// `predict --repair` applies what the saving was computed from, in calls as well.
TEST_P(RepairLaws, APredictedRepairIsTheOneThatWasTimed) {
  constexpr double kSame = 0.05;
  const Machine machine = quick_machine();
  const Repaired repair = repaired(run(), machine);
  const Predictor predictor(repair.run);
  const auto runtime = static_cast<double>((repair.run.end() - repair.run.begin()).count());
  for (std::size_t i = 0; i < repair.changes.size(); ++i) {
    const auto change = std::make_shared<const Change>(repair.changes[i]);
    const Scenario scenario{.machine = machine, .repairs = {{{}, change}}};
    Approximations approximations;
    if (of_computation_only(*change)) {
      EXPECT_EQ(scenario_times(repair.run, scenario, approximations).gaps, gaps_without(repair.run, *change));
    }
    const Predicted predicted = predictor.predict(scenario, true);
    const auto difference = static_cast<double>((predicted.run.end - repair.retimed[i]).count());
    EXPECT_LE(std::abs(difference), kSame * runtime) << i << ": " << difference << " of " << runtime;
    EXPECT_EQ(predictor.trace_of(predicted, scenario).end(), predicted.run.end);
  }
}

INSTANTIATE_TEST_SUITE_P(Seeds, RepairLaws, testing::Range<std::uint64_t>(1, 21));

}  // namespace
}  // namespace waitdiag::test

// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/diagnose.hpp"

#include <algorithm>
#include <utility>

#include "analyzer/diagnosis/activities/function_pools.hpp"
#include "analyzer/diagnosis/causes/leading_causes.hpp"
#include "analyzer/simulation/recorded_machine/recorded_machine.hpp"
#include "analyzer/simulation/replay/ideal_run.hpp"
#include "analyzer/trace/model/free_memory.hpp"
#include "analyzer/trace/model/trace_error.hpp"
#include "analyzer/trace/sync/joined_polls.hpp"
#include "analyzer/trace/sync/parts_of_call.hpp"

namespace waitdiag {
namespace {

// Examining causes more closely costs one pass over the trace for all of them, re-timing one for each.
constexpr std::size_t kCloserLook = 10, kRepairs = 5;
constexpr double kWorthAResult = 0.001, kWorthARepair = 0.02;  // of the explained waiting

// Scalasca's rules are a package: comparing value by value makes sense only with all of them.
DiagnosisOptions effective(DiagnosisOptions options) {
  if (options.rules == Rules::Scalasca) {
    options.model = Model::CwpDm;
    options.interval = IntervalStart::Pair;
  }
  return options;
}

void require_mpi(const Trace& trace) {
  const bool any = std::any_of(trace.timelines().begin(), trace.timelines().end(),
                               [](const Timeline& timeline) { return timeline.size() > 0; });
  if (any) return;
  throw TraceError(
      "no MPI call in this trace: nothing can have waited; either the program made none while it was "
      "recorded, or it "
      "was recorded without MPI events; record it again with waitdiag run");
}

bool wants_replays(const Trace& trace, Replays replays) {
  if (replays != Replays::Small) return replays == Replays::Always;
  return replay_work(trace) <= kMostWorkOfASmallRun;
}
// On the machine of the run, which takes hundreds of replays to find.
bool wants_replayed_gains(const Trace& trace, Replays replays) {
  return replays == Replays::Always || work_of_fit(trace) <= kMostWorkOfAFit;
}

// A table of all ranks over time must stay readable, and small.
std::uint32_t columns_over_time(const Trace& trace) {
  constexpr std::size_t kCells = 16384, kFewest = 4, kMost = 64;
  return static_cast<std::uint32_t>(
      std::clamp(kCells / std::max<std::size_t>(1, trace.ranks()), kFewest, kMost));
}

SpreadLimits spread_limits(const Trace& trace) {
  constexpr std::uint32_t kCloseUp = 128;
  return {.overview_columns = columns_over_time(trace), .close_up_steps = kCloseUp};
}

// Nothing is pooled where every call path is a candidate, or with Scalasca's rules.
std::optional<DividedTime> pooled_time(const Trace& trace, const DiagnosisOptions& options,
                                       const DividedTime& by_call_path) {
  if (options.model == Model::CwpDm || options.rules == Rules::Scalasca) return std::nullopt;
  std::vector<CallPathId> instead =
      function_pools(trace, by_call_path.profile, by_call_path.activities, options.hotspot_threshold);
  if (instead.empty()) return std::nullopt;
  Activities activities = by_call_path.activities.pooled(std::move(instead));
  Profile times = pooled(by_call_path.profile, activities);
  return DividedTime{std::move(activities), std::move(times)};
}

DividedTime divided(const Trace& trace, const DiagnosisOptions& options, const StalledCalls& stalled,
                    Stages& stages) {
  const SamplesOf samples = options.rules == Rules::Scalasca ? SamplesOf::OwnRank : SamplesOf::AllRanks;
  Activities activities = stages.run("divide", [&] { return Activities(trace, samples); });
  Profile times = stages.run("profile", [&] { return profile(trace, activities, stalled); });
  return {std::move(activities), std::move(times)};
}

std::vector<bool> candidates(const DiagnosisOptions& options, const DividedTime& compared) {
  if (options.model == Model::CwpDm) return std::vector<bool>(compared.activities.slots(), true);
  return hotspots(compared.profile, compared.activities, options.hotspot_threshold);
}

// Call paths that are a hotspot on no rank, but on all ranks together, and cause much waiting: a hot spot that
// wanders over many ranks. Are there such? Then they are candidates, too.
bool add_costly(const DelayCosts& costs, const DividedTime& compared, const WaitStates& states,
                double threshold, std::vector<bool>& candidates) {
  constexpr double kMuch = 0.05;  // of the waiting
  double waiting = 0;
  for (const WaitState& wait : states.waits) waiting += static_cast<double>(wait.wait.count());
  std::vector<double> times(candidates.size());
  for (const ProfileEntry& entry : compared.profile.entries)
    times[compared.activities.slot(entry.call_path)] += entry.nanoseconds;
  const double a_run =
      compared.profile.total_nanoseconds / static_cast<double>(compared.profile.by_location.size());
  bool any = false;
  for (std::size_t slot = 0; slot < candidates.size(); ++slot) {
    if (candidates[slot] || costs.not_hotspots[slot] <= kMuch * waiting || times[slot] <= threshold * a_run)
      continue;
    candidates[slot] = any = true;
  }
  return any;
}

void replay(const Trace& trace, Diagnosis& found, Stages& stages) {
  if (!wants_replays(trace, found.options.replays)) return;
  found.ideal_replay = stages.run("replay", [&] { return ideal_run_time(trace, found.sync); });
  if (found.what_if.repairs.empty() || !wants_replayed_gains(trace, found.options.replays)) return;
  found.replayed_gains = stages.run("replay repairs", [&] {
    return replayed_gains(trace, found.sync, found.states, found.what_if.repairs, found.stalled,
                          found.options.replays == Replays::Always);
  });
}

void add_efficiency(const Trace& trace, const PartsInTime& parts, Diagnosis& found) {
  found.efficiency = efficiency(trace, found.states);
  found.times = time_totals(trace, found.states,
                            found.options.rules == Rules::Scalasca ? Pollers::Count : Pollers::LeftOut);
  found.efficiency_by_part = efficiency_by_part(trace, found.states, found.steps, columns_over_time(trace));
  add_critical_path(parts, found.what_if, found.efficiency_by_part);
}

void add_characteristics(const Trace& trace, Diagnosis& found) {
  constexpr std::uint32_t kMostGroups = 10;
  found.resources = resource_use(trace, columns_over_time(trace));
  found.files = file_use(trace);
  if (found.options.messages) found.messages = message_profile(trace, found.sync, found.states);
  if (!found.options.characteristics) return;
  found.characteristics = characteristics(trace, found.sync, found.states, found.steps, kMostGroups);
  found.operation_classes = operation_classes(trace, found.sync, found.states);
}

}  // namespace

std::optional<Trace> as_diagnosed(const Trace& trace, const DiagnosisOptions& options) {
  if (options.rules == Rules::Scalasca) {
    if (!has_calls_in_parts(trace)) return std::nullopt;
    return with_whole_calls(Trace(trace));
  }
  if (!has_pauses_between_polls(trace)) return std::nullopt;
  return joined_polls(trace);
}

Diagnosis diagnose(const Trace& trace, const DiagnosisOptions& chosen, Stages& stages) {
  require_mpi(trace);
  const DiagnosisOptions options = effective(chosen);
  const bool scalasca = options.rules == Rules::Scalasca;

  SyncPoints sync = stages.run("match", [&] { return match(trace); });
  WaitStates states = stages.run("detect", [&] {
    return detect(trace, sync,
                  {.scalasca = scalasca, .eager_threshold_bytes = options.eager_threshold_bytes});
  });
  auto intervals = stages.run("slice", [&] {
    return options.interval == IntervalStart::Pair ? pair_intervals(trace, sync, states)
                                                   : causal_intervals(trace, sync, states, &states.anomalies);
  });
  const StalledCalls stalled =
      stages.run("find stalls", [&] { return scalasca ? StalledCalls() : StalledCalls(trace, states); });
  DividedTime by_call_path = divided(trace, options, stalled, stages);
  std::optional<DividedTime> by_function =
      stages.run("pool", [&] { return pooled_time(trace, options, by_call_path); });
  const DividedTime& compared = by_function ? *by_function : by_call_path;
  const Activities& activities = compared.activities;
  const ActivitySums sums =
      stages.run("add up", [&] { return ActivitySums(trace, activities, states, stalled); });
  DelayCosts costs = stages.run("attribute", [&] {
    give_back_free_memory();
    std::vector<bool> blamed = candidates(options, compared);
    const UsualParts usual = scalasca ? UsualParts() : UsualParts(compared.profile, activities);
    const auto attributed = [&] {
      return attribute(trace, states, intervals, activities, sums, blamed,
                       {.scalasca = scalasca,
                        .wait_parts = options.model == Model::CwpDm,
                        .culprits = options.culprits,
                        .thread_needs = sync.thread_needs,
                        .usual = &usual});
    };
    DelayCosts of_hotspots = attributed();
    return !scalasca && add_costly(of_hotspots, compared, states, options.hotspot_threshold, blamed)
               ? attributed()
               : of_hotspots;
  });
  Steps steps = stages.run("find steps", [&] { return find_steps(trace); });
  const std::vector<CallPathId> leading = leading_causes(costs, kCloserLook, kWorthAResult);
  auto spreads = stages.run("look closer", [&] {
    return spread_over_steps(trace, states, activities, steps, leading, spread_limits(trace), stalled);
  });
  const PartsInTime parts(trace, steps, columns_over_time(trace));
  const std::vector<CallPathId> repaired = leading_causes(costs, kRepairs, kWorthARepair);
  WhatIf worth = stages.run("re-time", [&] {
    give_back_free_memory();
    return what_if(trace, sync, states, std::move(intervals), activities, sums, compared.profile, steps,
                   repaired, waiting_caused(costs, repaired), parts.run(), options.what_ifs);
  });
  Diagnosis found{.options = options,
                  .sync = std::move(sync),
                  .states = std::move(states),
                  .stalled = stalled,
                  .by_call_path = std::move(by_call_path),
                  .pooled = std::move(by_function),
                  .costs = std::move(costs),
                  .steps = std::move(steps),
                  .spreads = std::move(spreads),
                  .what_if = std::move(worth),
                  .ideal_replay = {},
                  .replayed_gains = {},
                  .efficiency = {},
                  .efficiency_by_part = {},
                  .times = {},
                  .resources = {},
                  .files = {},
                  .messages = {},
                  .characteristics = {},
                  .operation_classes = {}};
  replay(trace, found, stages);
  stages.run("efficiency", [&] { add_efficiency(trace, parts, found); });
  stages.run("characterise", [&] { add_characteristics(trace, found); });
  return found;
}

}  // namespace waitdiag

// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/diagnose.hpp"

#include <algorithm>
#include <utility>

#include "analyzer/diagnose_and_look.hpp"
#include "analyzer/diagnosis/causes/delay_costs.hpp"
#include "analyzer/diagnosis/causes/function_pools.hpp"
#include "analyzer/diagnosis/causes/leading_causes.hpp"
#include "analyzer/diagnosis/efficiency/efficiency.hpp"
#include "analyzer/diagnosis/efficiency/parts_in_time.hpp"
#include "analyzer/diagnosis/retiming/correct_clocks.hpp"
#include "analyzer/simulation/replay/ideal_run.hpp"
#include "analyzer/simulation/replayed_gains/replayed_gains.hpp"
#include "analyzer/summary/make_report.hpp"
#include "analyzer/summary/table_size.hpp"
#include "analyzer/trace/model/trace_error.hpp"

namespace waitdiag {
namespace {

// A closer look costs a pass over the trace for all causes together, a re-timing one for each.
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

Report::ReplayedGains facts_of(const ReplayedGains& gains) {
  Report::ReplayedGains facts{.error = gains.error, .refused = gains.refused};
  for (const std::optional<Duration>& runtime : gains.runtime) ++(runtime ? facts.replayed : facts.retimed);
  return facts;
}

bool wants_replays(const Trace& trace, Replays replays) {
  if (replays != Replays::Small) return replays == Replays::Always;
  return replay_work(trace) <= kMostWorkOfASmallRun;
}

SpreadLimits spread_limits(const Trace& trace) {
  constexpr std::uint32_t kCloseUp = 128;
  return {.overview_columns = static_cast<std::uint32_t>(columns_over_time(trace)),
          .close_up_steps = kCloseUp};
}

struct Profiles {
  Profile by_path;
  std::optional<Activities> pooled;  // where functions are hotspots, but none of their call paths is
  Profile of_pooled;
};

// Nothing is pooled where every call path is looked at, or Scalasca is followed.
Profiles profiles_of(const Trace& trace, const DiagnosisOptions& options, const Activities& activities) {
  Profiles profiles{profile(trace, activities), {}, {}};
  if (options.model == Model::CwpDm || options.rules == Rules::Scalasca) return profiles;
  std::vector<CallPathId> instead =
      function_pools(trace, profiles.by_path, activities, options.hotspot_threshold);
  if (instead.empty()) return profiles;
  profiles.pooled.emplace(activities.pooled(std::move(instead)));
  profiles.of_pooled = profile(trace, *profiles.pooled);
  return profiles;
}

}  // namespace

Report diagnose(const Trace& trace, const DiagnosisOptions& options, Stages& stages) {
  return diagnose(trace, options, stages, nullptr);
}

Report diagnose(Trace&& trace, const DiagnosisOptions& options, Stages& stages) {
  return diagnose(std::move(trace), options, stages, nullptr);
}

Report diagnose(Trace&& trace, const DiagnosisOptions& chosen, Stages& stages, const LookAtResults& look) {
  if (!chosen.correct_clocks) return diagnose(std::as_const(trace), chosen, stages, look);
  require_mpi(trace);
  DiagnosisOptions options = chosen;
  options.correct_clocks = false;
  const Trace corrected = stages.run("correct", [&] {
    const SyncPoints sync = match(trace);
    return correct_clocks(std::move(trace), sync);
  });
  return diagnose(corrected, options, stages, look);
}

Report diagnose(const Trace& trace, const DiagnosisOptions& chosen, Stages& stages,
                const LookAtResults& look) {
  require_mpi(trace);
  if (chosen.correct_clocks) return diagnose(Trace(trace), chosen, stages, look);
  const DiagnosisOptions options = effective(chosen);
  const bool scalasca = options.rules == Rules::Scalasca;

  const SyncPoints sync = stages.run("match", [&] { return match(trace); });
  const WaitStates states = stages.run("detect", [&] {
    return detect(trace, sync,
                  {.scalasca = scalasca, .eager_threshold_bytes = options.eager_threshold_bytes});
  });
  auto intervals = stages.run("slice", [&] {
    return options.interval == IntervalStart::Pair ? pair_intervals(trace, sync, states)
                                                   : causal_intervals(trace, sync, states);
  });
  const Activities activities_by_path = stages.run("divide", [&] { return Activities(trace); });
  const Profiles profiles =
      stages.run("profile", [&] { return profiles_of(trace, options, activities_by_path); });
  const Activities& activities = profiles.pooled ? *profiles.pooled : activities_by_path;
  const Profile& times = profiles.pooled ? profiles.of_pooled : profiles.by_path;
  const ActivitySums sums = stages.run("add up", [&] { return ActivitySums(trace, activities, states); });
  const DelayCosts costs = stages.run("attribute", [&] {
    const std::vector<bool> candidates = options.model == Model::CwpDm
                                             ? std::vector<bool>(activities.slots(), true)
                                             : hotspots(times, activities, options.hotspot_threshold);
    return attribute(
        trace, sync, states, intervals, activities, sums, candidates,
        {.scalasca = scalasca, .wait_parts = options.model == Model::CwpDm, .culprits = look != nullptr});
  });
  const Steps steps = stages.run("find steps", [&] { return find_steps(trace); });
  const std::vector<CallPathId> leading = leading_causes(costs, kCloserLook, kWorthAResult);
  const auto spreads = stages.run("look closer", [&] {
    return spread_over_steps(trace, states, activities, steps, leading, spread_limits(trace));
  });
  const PartsInTime parts(trace, steps, static_cast<std::uint32_t>(columns_over_time(trace)));
  const WhatIf worth = stages.run("re-time", [&] {
    return what_if(trace, sync, states, std::move(intervals), activities, sums,
                   leading_causes(costs, kRepairs, kWorthARepair), parts.run());
  });
  std::optional<Duration> ideal;
  std::optional<ReplayedGains> gains;
  if (wants_replays(trace, options.replays)) {
    ideal = stages.run("replay", [&] { return ideal_run_time(trace, sync); });
    if (!worth.repairs.empty())
      gains =
          stages.run("replay repairs", [&] { return replayed_gains(trace, sync, states, worth.repairs); });
  }
  EfficiencyTree tree;
  TimeTotals totals;
  const std::span<const std::optional<Duration>> replayed =
      gains ? std::span<const std::optional<Duration>>(gains->runtime)
            : std::span<const std::optional<Duration>>();
  const Results results{sync,
                        states,
                        activities,
                        times,
                        activities_by_path,
                        profiles.by_path,
                        costs,
                        tree,
                        totals,
                        steps,
                        parts,
                        spreads,
                        worth,
                        ideal,
                        replayed};
  Report report = stages.run("summarise", [&] {
    tree = efficiency(trace, states);
    totals = time_totals(trace, states);
    Report made = make_report(trace, options, results);
    if (gains) made.replayed_gains = facts_of(*gains);
    return made;
  });
  if (look) look(trace, results, report);
  return report;
}

}  // namespace waitdiag

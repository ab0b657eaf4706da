// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/summary/data_quality.hpp"

#include <algorithm>
#include <array>
#include <cstdio>

#include "analyzer/diagnosis/resources/crowded_nodes.hpp"
#include "analyzer/trace/model/number_property.hpp"
#include "analyzer/wording/numbers.hpp"
#include "libwaitprof/schema/schema.hpp"

namespace waitdiag {
namespace {

constexpr std::array kSeverity = {"info", "warning", "serious"};  // by Gravity

// Below this share of the execution time, unsampled computation cannot change the order of causes.
constexpr double kNegligible = 0.01, kGrave = 0.1;

void add_unsampled(const Profile& profile, Anomalies& anomalies) {
  const double share = profile.unsampled_nanoseconds / profile.total_nanoseconds;
  if (!(share > kNegligible)) return;
  char text[200];
  std::snprintf(text, sizeof text,
                "%.3f s of computation between MPI calls (%.0f %% of the core time) are neither instrumented "
                "nor sampled; "
                "they count for the function around both calls",
                profile.unsampled_nanoseconds * 1e-9, share * 100);
  anomalies.add("unsampled_seconds", share > kGrave ? Gravity::Warning : Gravity::Info, text,
                profile.unsampled_stretches);
}

void add_uncertain_waits(const Trace& trace, const WaitStates& states, Anomalies& anomalies) {
  const Duration error = clock_error(trace);
  Duration uncertain{}, all{};
  std::uint64_t count = 0;
  for (const WaitState& wait : states.waits) {
    if (!pattern(wait.pattern).waiting) continue;
    all += wait.wait;
    if (wait.wait > uncertainty(trace, wait, error)) continue;
    uncertain += wait.wait;
    ++count;
  }
  if (error <= Duration{} || count == 0) return;
  const double share = seconds(uncertain) / seconds(all);
  const std::string text = format_duration(seconds(uncertain)) + " of waiting (" + format_share(share) +
                           ") are made of waits so short that the clocks cannot tell: those of different "
                           "nodes agree to " +
                           format_duration(seconds(error));
  anomalies.add("uncertain_waits", share > kNegligible ? Gravity::Warning : Gravity::Info, text, count);
}

// Who looks there by MPI_Win_sync waits for a signal, which patterns find.
void add_shared_memory(const Trace& trace, const WaitStates& states, Anomalies& anomalies) {
  const auto shares = [&](const Timeline& timeline) {
    for (std::uint32_t op = 0; op < timeline.size(); ++op)
      if (trace.region(timeline.call_path(op)).name == "MPI_Win_allocate_shared") return true;
    return false;
  };
  const bool told = std::ranges::any_of(states.waits, [](const WaitState& wait) {
    return pattern(wait.pattern).waits_for == WaitsFor::Signal;
  });
  const bool any = std::ranges::any_of(
      trace.regions(), [](const Region& region) { return region.name == "MPI_Win_allocate_shared"; });
  const auto ranks = any && !told ? std::ranges::count_if(trace.timelines(), shares) : 0;
  if (ranks < 2) return;
  anomalies.add("shared_memory", Gravity::Warning,
                plural(static_cast<std::uint64_t>(ranks), "rank") +
                    " share memory (MPI_Win_allocate_shared): who waits there for what another one writes, "
                    "without a call of MPI, counts as computing or sleeping",
                1);
}

}  // namespace

Duration uncertainty(const Trace& trace, const WaitState& wait, Duration clock_error) {
  if (!wait.cause.valid()) return 2 * clock_error;
  return uncertainty_between(trace, wait.victim.location, wait.cause.location, clock_error);
}

std::vector<Report::Quality> data_quality(const Trace& trace, const Anomalies& matching,
                                          const WaitStates& states, const Profile& profile,
                                          const ResourceUse& use,
                                          std::span<const Report::WorkerThreads> workers) {
  Anomalies all = trace.anomalies();
  all.merge(matching);
  all.merge(states.anomalies);
  add_uncertain_waits(trace, states, all);
  add_unsampled(profile, all);
  add_shared_memory(trace, states, all);
  add_crowded_nodes(use.nodes, all);
  add_stolen_processors(use.nodes, all);
  add_mpi_in_other_threads(trace, states, all);
  add_unseen_threads(trace, use, workers, all);
  if (all.count("clock_violations") == 0) {
    all.add("clock_violations", Gravity::Info, "no message was received before it was sent", 0);
  }
  std::vector<Report::Quality> rows;
  for (const Anomaly& anomaly : all.all()) {
    rows.push_back(
        {anomaly.id, kSeverity[static_cast<std::size_t>(anomaly.gravity)], anomaly.text, anomaly.count});
  }
  const auto gravity = [](const Report::Quality& row) {
    return std::find(kSeverity.begin(), kSeverity.end(), row.severity) - kSeverity.begin();
  };
  std::stable_sort(rows.begin(), rows.end(), [&](const Report::Quality& a, const Report::Quality& b) {
    return gravity(a) > gravity(b);
  });
  return rows;
}

}  // namespace waitdiag

// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/simulation/prediction/prediction_report.hpp"

#include <algorithm>
#include <functional>

#include "analyzer/trace/model/mpi_calls.hpp"
#include "analyzer/wording/sentences.hpp"

namespace waitdiag {
namespace {

// Figures of an average rank, by the threads that initialised MPI, from sums over all ranks.
PredictionReport::Figures figures_of(Duration runtime, Duration computation, Duration calls, Duration waiting,
                                     std::size_t ranks) {
  const auto all = static_cast<double>(std::max<std::size_t>(1, ranks));
  PredictionReport::Figures figures{.runtime_s = seconds(runtime),
                                    .computation_s = seconds(computation) / all,
                                    .communication_s = seconds(calls) / all,
                                    .waiting_s = seconds(waiting) / all};
  if (figures.runtime_s > 0) figures.efficiency = figures.computation_s / figures.runtime_s;
  return figures;
}

std::string mapping_of(const Scenario& scenario) {
  const Machine& machine = scenario.machine;
  if (!scenario.cores.empty())
    return scenario.recorded_places ? "ranks where they were" : "mapping from a file";
  if (machine.levels.empty()) return "no mapping";
  const std::string per_node =
      machine.ranks_per_node == 0 ? "" : ", " + std::to_string(machine.ranks_per_node) + " ranks per node";
  return (machine.mapping == Mapping::Block ? "block mapping" : "cyclic mapping") + per_node;
}

}  // namespace

PredictionReport::Figures recorded_figures(const Trace& trace) {
  Duration computation{}, calls{};
  const MpiCalls mpi(trace);
  for (std::size_t rank = 0; rank < trace.ranks(); ++rank) {
    const Location location = trace.main_location(Rank(rank));
    const Timeline& timeline = trace.timeline(location);
    computation += timeline.end() - timeline.begin();
    for (std::uint32_t op = 0; op < timeline.size(); ++op)
      if (mpi.contains({location, op})) calls += timeline.length(op);
  }
  return figures_of(trace.end() - trace.begin(), computation - calls, calls, {}, trace.ranks());
}

PredictionReport::Figures predicted_figures(const Predicted& predicted) {
  Duration computation{}, calls{}, waiting{};
  std::size_t ranks = 0;
  for (const Replayed::Location& location : predicted.run.locations) {
    if (!location.main) continue;
    ++ranks;
    computation += location.computation;
    calls += location.in_calls;
    waiting += location.waiting;
  }
  return figures_of(predicted.run.end - predicted.run.begin, computation, calls, waiting, ranks);
}

PredictionReport make_prediction_report(const Trace& trace, const Scenario& scenario,
                                        const Predicted& predicted) {
  PredictionReport report;
  report.ranks = trace.ranks();
  report.operations = predicted.operations;
  report.messages = predicted.run.messages;
  const PredictionReport::Figures recorded = recorded_figures(trace);
  report.recorded = {.program = trace.facts().program,
                     .ranks = {trace.ranks()},
                     .runtimes_s = {recorded.runtime_s},
                     .computation_s = recorded.computation_s,
                     .communication_s = recorded.communication_s};
  report.predicted = predicted_figures(predicted);
  report.scenario.machine = scenario.machine.name;
  report.scenario.machine_description = scenario.machine.description;
  report.scenario.mapping = mapping_of(scenario);
  report.scenario.compute_scale = scenario.compute_scale * scenario.machine.compute_scale;
  for (std::uint32_t l = 0; l < predicted.run.locations.size(); ++l) {
    const Replayed::Location& one = predicted.run.locations[l];
    if (!one.main) continue;
    report.by_rank.push_back({.rank = static_cast<std::int64_t>(index(trace.rank(Location(l)))),
                              .finish_s = seconds(one.end - predicted.run.begin),
                              .computation_s = seconds(one.computation),
                              .communication_s = seconds(one.in_calls),
                              .waiting_s = seconds(one.waiting)});
  }
  std::ranges::sort(report.by_rank, {}, &PredictionReport::ByRank::rank);
  const double all = report.recorded.runtime_s() * static_cast<double>(trace.timelines().size());
  for (const Approximation& one : predicted.approximations.all())
    report.approximations.push_back({.id = one.id,
                                     .text = one.text,
                                     .count = one.count,
                                     .time_s = seconds(one.time),
                                     .share = all > 0 ? seconds(one.time) / all : 0});
  std::ranges::stable_sort(report.approximations, std::greater<>(), &PredictionReport::Approximation::time_s);
  report.verdict = prediction_verdict(report);
  return report;
}

PredictedPath::PredictedPath(const Trace& predicted, const Scenario& scenario)
    : run(predicted),
      sync(match(run)),
      states(detect(run, sync, waits_on(scenario.machine))),
      dependencies(run, sync, states, scenario.removed_waits),
      activities(run),
      path(critical_path(run, dependencies, activities)) {}

std::vector<PredictionReport::PathEntry> PredictedPath::entries() const {
  std::vector<PredictionReport::PathEntry> entries;
  for (std::size_t slot = 0; slot < path.by_slot.size(); ++slot) {
    if (path.by_slot[slot] < 0.5) continue;
    const CallPathId call_path = activities.call_path(slot);
    entries.push_back({call_path == kNoCallPath ? "outside known functions" : run.call_path_name(call_path),
                       path.by_slot[slot] * 1e-9});
  }
  std::ranges::stable_sort(entries, std::greater<>(), &PredictionReport::PathEntry::seconds);
  return entries;
}

}  // namespace waitdiag

// SPDX-License-Identifier: BSD-3-Clause
#include <cmath>
#include <nlohmann/json.hpp>
#include <ostream>

#include "analyzer/results/prediction.hpp"
#include "analyzer/wording/sentences.hpp"
#include "analyzer/writers/json/json.hpp"

namespace waitdiag {
namespace {

using PredictionJson = nlohmann::ordered_json;

PredictionJson known_number(double value) {
  return std::isfinite(value) ? PredictionJson(value) : PredictionJson(nullptr);
}

PredictionJson figures_of(const PredictionReport::Figures& figures) {
  return {{"runtime_s", figures.runtime_s},
          {"computation_s", figures.computation_s},
          {"communication_s", figures.communication_s},
          {"waiting_s", figures.waiting_s},
          {"efficiency", figures.efficiency}};
}

template <typename Entries, typename ToJson>
PredictionJson array_of(const Entries& entries, ToJson to_json) {
  PredictionJson array = PredictionJson::array();
  for (const auto& entry : entries) array.push_back(to_json(entry));
  return array;
}

PredictionJson source_of(const RescalingReport::Source& run) {
  return {{"name", run.name}, {"ranks", run.ranks}, {"problem", run.problem}, {"runtime_s", run.runtime_s}};
}

PredictionJson steady_of(const SteadyIterations& steady) {
  return {{"iterations", steady.iterations}, {"replayed", steady.replayed},
          {"period", steady.period},         {"increment_s", steady.increment_s},
          {"spread", steady.spread},         {"difference", steady.difference}};
}

PredictionJson recorded_machine_of(const RecordedMachineReport& report) {
  using Level = RecordedMachineReport::Level;
  using Check = RecordedMachineReport::Check;
  return {{"collectives", report.collectives},
          {"levels", array_of(report.levels,
                              [](const Level& level) {
                                return PredictionJson{
                                    {"name", level.name},
                                    {"latency_s", level.latency_s},
                                    {"latency_error", known_number(level.latency_error)},
                                    {"bytes_per_s", level.bytes_per_s},
                                    {"bandwidth_error", known_number(level.bandwidth_error)},
                                    {"messages", level.messages},
                                    {"least_bytes", level.least_bytes},
                                    {"most_bytes", level.most_bytes}};
                              })},
          {"checks", array_of(report.checks,
                              [](const Check& check) {
                                return PredictionJson{{"run", check.run},
                                                      {"ranks", check.ranks},
                                                      {"recorded_s", check.recorded_s},
                                                      {"replayed_s", check.replayed_s}};
                              })},
          {"notes", report.notes}};
}

PredictionJson held_out_of(const RescalingReport::HeldOut& held) {
  return {{"run", source_of(held.run)},
          {"predicted_s", held.predicted_s},
          {"recorded_s", held.recorded_s},
          {"replayed_s", held.replayed_s},
          {"where_recorded", held.where_recorded},
          {"error", held.error},
          {"from_runs", held.from_runs},
          {"fewer_levels", held.fewer_levels}};
}

PredictionJson sizes_of(const RescalingReport::Sizes& sizes) {
  return {sizes.least, sizes.most};
}

PredictionJson rescaling_of(const RescalingReport& report) {
  PredictionJson json = {{"sources", array_of(report.sources, source_of)},
                         {"repeats", {{"left_out", report.repeats}, {"longer", report.repeats_longer}}},
                         {"problem", report.problem},
                         {"grids", report.grids},
                         {"inexact_sizes", report.inexact_sizes}};
  if (report.held_out) {
    json["held_out"] = held_out_of(*report.held_out);
    json["replay_error"] = report.replays.empty() ? 0 : report.replays.back().error;
    json["replays"] = array_of(report.replays, [](const RescalingReport::Replay& replay) {
      return PredictionJson{{"run", source_of(replay.run)}, {"error", replay.error}};
    });
    if (report.outside)
      json["outside_recorded_sizes"] = {{"recorded_bytes", sizes_of(report.outside->recorded)},
                                        {"target_bytes", sizes_of(report.outside->target)},
                                        {"share", report.outside->share},
                                        {"doublings", report.outside->doublings}};
    json["held_out_before"] = array_of(report.held_out_before, held_out_of);
    json["range_s"] = {report.low_s, report.high_s};
    json["carries_too_far"] = carries_too_far(report);
  } else {
    json["no_range"] = report.no_range;
  }
  json["models"] = array_of(report.models, [](const RescalingReport::Model& model) {
    return PredictionJson{{"call_path", model.call_path},
                          {"text", model.text},
                          {"share", model.share},
                          {"left_out", model.left_out}};
  });
  json["waits"] = array_of(report.waits, [](const RescalingReport::Wait& wait) {
    return PredictionJson{{"pattern", wait.pattern}, {"title", wait.title}, {"total_s", wait.total_s}};
  });
  json["causes"] = array_of(report.causes, [](const RescalingReport::Cause& cause) {
    return PredictionJson{{"call_path", cause.call_path},
                          {"kind", cause.kind},
                          {"waiting_s", cause.waiting_s},
                          {"share", cause.share},
                          {"ranks", cause.ranks}};
  });
  return json;
}

PredictionJson unit_times_of(const PredictionReport::UnitTimes& times) {
  using CallPath = PredictionReport::UnitTimes::CallPath;
  const auto match_of = [](const CallPath& path) {
    if (path.match == CallPath::Match::Common) return "common";
    return path.match == CallPath::Match::Missing ? "missing" : "uncertain";
  };
  return {{"file", times.file},
          {"program", times.program},
          {"machine", times.machine},
          {"ranks", times.ranks},
          {"mean_factor", times.mean_factor},
          {"unmatched_share", times.unmatched_share},
          {"call_paths", array_of(times.call_paths, [&](const CallPath& path) {
             const auto& other = path.other_seconds;
             return PredictionJson{
                 {"call_path", path.call_path},
                 {"count", path.count},
                 {"seconds", path.seconds},
                 {"other_seconds", other ? PredictionJson(*other) : PredictionJson(nullptr)},
                 {"factor", path.factor},
                 {"share", path.share},
                 {"match", match_of(path)}};
           })}};
}

// Several runs where a prediction is made of several.
PredictionJson origin_of(const PredictionReport& report) {
  PredictionJson ranks = PredictionJson::array(), times = PredictionJson::array();
  if (report.rescaling) {
    for (const RescalingReport::Source& run : report.rescaling->sources) {
      ranks.push_back(run.ranks);
      times.push_back(run.runtime_s);
    }
  } else {
    ranks.push_back(report.ranks);
    times.push_back(report.recorded.runtime_s);
  }
  return {{"program", report.program},
          {"ranks", ranks},
          {"runtime_s", times},
          {"computation_s", report.recorded.computation_s},
          {"communication_s", report.recorded.communication_s}};
}

}  // namespace

void write_prediction_json(const PredictionReport& report, std::ostream& out) {
  PredictionJson json = {
      {"schema", "waitdiag.prediction/1"},
      {"verdict", prediction_verdict(report)},
      {"from", origin_of(report)},
      {"scenario",
       {{"ranks", report.ranks},
        {"machine", report.scenario.machine},
        {"mapping", report.scenario.mapping},
        {"compute_scale", report.scenario.compute_scale},
        {"edits", report.scenario.edits}}},
  };
  json.update(figures_of(report.predicted));
  json["operations"] = report.operations;
  json["messages"] = report.messages;
  json["critical_path"] = array_of(report.critical_path, [](const PredictionReport::PathEntry& entry) {
    return PredictionJson{{"call_path", entry.call_path}, {"seconds", entry.seconds}};
  });
  json["by_rank"] = array_of(report.by_rank, [](const PredictionReport::ByRank& rank) {
    return PredictionJson{{"rank", rank.rank},
                          {"finish_s", rank.finish_s},
                          {"computation_s", rank.computation_s},
                          {"communication_s", rank.communication_s},
                          {"waiting_s", rank.waiting_s}};
  });
  json["approximations"] = array_of(report.approximations, [](const PredictionReport::Approximation& one) {
    return PredictionJson{{"id", one.id},
                          {"text", one.text},
                          {"count", one.count},
                          {"time_s", one.time_s},
                          {"share", one.share}};
  });
  json["steady"] = steady_of(report.steady);
  if (!report.sweep_parameter.empty()) {
    json["sweep"] = {{"parameter", report.sweep_parameter},
                     {"current", known_number(report.sweep_current)},
                     {"points", array_of(report.sweep, [](const PredictionReport::SweepPoint& point) {
                        PredictionJson entry = {{"value", point.value}, {"label", point.label}};
                        entry.update(figures_of(point.figures));
                        return entry;
                      })}};
  }
  if (!report.what_ifs.empty())
    json["what_ifs"] = array_of(report.what_ifs, [](const PredictionReport::SweepPoint& what_if) {
      PredictionJson entry = {{"options", what_if.label}};
      entry.update(figures_of(what_if.figures));
      return entry;
    });
  if (report.unit_times) json["unit_times"] = unit_times_of(*report.unit_times);
  if (report.recorded_machine) json["recorded_machine"] = recorded_machine_of(*report.recorded_machine);
  if (report.rescaling) json["rescaling"] = rescaling_of(*report.rescaling);
  out << json.dump(2) << '\n';
}

}  // namespace waitdiag

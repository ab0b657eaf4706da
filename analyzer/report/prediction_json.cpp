// SPDX-License-Identifier: BSD-3-Clause
#include <cmath>
#include <nlohmann/json.hpp>
#include <ostream>

#include "analyzer/report/prediction.hpp"

namespace waitdiag {
namespace {

using PredictionJson = nlohmann::ordered_json;

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

}  // namespace

void write_prediction_json(const PredictionReport& report, std::ostream& out) {
  const PredictionReport::Figures& recorded = report.recorded;
  PredictionJson json = {
      {"schema", "waitdiag.prediction/1"},
      {"verdict", prediction_verdict(report)},
      {"from",
       {{"program", report.program},
        {"ranks", {report.ranks}},
        {"runtime_s", {recorded.runtime_s}},
        {"computation_s", recorded.computation_s},
        {"communication_s", recorded.communication_s}}},
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
  if (!report.sweep_parameter.empty()) {
    json["sweep"] = {{"parameter", report.sweep_parameter},
                     {"points", array_of(report.sweep, [](const PredictionReport::SweepPoint& point) {
                        PredictionJson entry = {{"value", point.value}, {"label", point.label}};
                        entry.update(figures_of(point.figures));
                        return entry;
                      })}};
  }
  out << json.dump(2) << '\n';
}

}  // namespace waitdiag

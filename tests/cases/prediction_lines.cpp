// SPDX-License-Identifier: BSD-3-Clause
#include "tests/cases/prediction_lines.hpp"

#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <sstream>
#include <stdexcept>

#include "analyzer/simulation/prediction/prediction_report.hpp"
#include "analyzer/writers/json/json.hpp"
#include "tests/support/json_schema.hpp"
#include "tests/support/places.hpp"

namespace waitdiag::test {
namespace {

long long whole_ns(double seconds) {
  return std::llround(seconds * 1e9);
}

}  // namespace

std::vector<std::string> prediction_lines(const Trace& trace, const std::string& machine,
                                          const tool::ScenarioOptions& options) {
  tool::ScenarioOptions without_machine = options;
  without_machine.ideal_network = true;
  Scenario scenario = make_scenario(tool::request_of(without_machine), trace.ranks(), nullptr);
  const Mapping mapping = scenario.machine.mapping;
  scenario.machine = parse_machine(machine, "machine");
  if (!options.map.empty()) scenario.machine.mapping = mapping;
  const Predictor predictor(trace);
  const Predicted predicted = predictor.predict(scenario, true);
  PredictionReport report = make_prediction_report(trace, scenario, predicted);
  const Trace run = predictor.trace_of(predicted, scenario);
  report.critical_path = PredictedPath(run, scenario).entries();
  std::ostringstream json;
  write_json(report, json);
  const std::string complaints = schema_complaints(prediction_schema(), nlohmann::json::parse(json.str()));
  if (!complaints.empty()) throw std::runtime_error("the JSON breaks its schema: " + complaints);

  std::vector<std::string> lines;
  for (const PredictionReport::ByRank& rank : report.by_rank)
    lines.push_back(fmt::format("rank {} end {} computes {} waits {}", rank.rank, whole_ns(rank.finish_s),
                                whole_ns(rank.computation_s), whole_ns(rank.waiting_s)));
  for (const PredictionReport::PathEntry& entry : report.critical_path)
    lines.push_back(fmt::format("path {} {}", entry.call_path, whole_ns(entry.seconds)));
  for (const PredictionReport::Approximation& one : report.approximations)
    lines.push_back(fmt::format("note {} x{} {} ns", one.id, one.count, whole_ns(one.time_s)));
  return lines;
}

}  // namespace waitdiag::test

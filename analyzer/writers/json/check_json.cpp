// SPDX-License-Identifier: BSD-3-Clause
#include <nlohmann/json.hpp>
#include <ostream>

#include "analyzer/writers/json/json.hpp"

namespace waitdiag {
namespace {

using CheckJson = nlohmann::ordered_json;

CheckJson metric_json(const CheckResult::Metric& one) {
  CheckJson changes = CheckJson::array();
  for (const CheckResult::Metric::Change& change : one.changes)
    changes.push_back({{"time", change.time},
                       {"commit", change.commit},
                       {"before", change.before},
                       {"after", change.after}});
  CheckJson json = {{"id", one.id},
                    {"title", one.title},
                    {"unit", unit_symbol(one.unit)},
                    {"better", one.lower_is_better ? "lower" : "higher"},
                    {"verdict", verdict_name(one.verdict)},
                    {"accepted", one.accepted},
                    {"sentence", one.sentence},
                    {"before", one.before},
                    {"after", one.after},
                    {"limit", one.limit},
                    {"runs_missing", one.runs_missing},
                    {"changes", changes}};
  if (one.spread)
    json["spread"] = {{"shift", one.spread->shift},
                      {"low", one.spread->low},
                      {"high", one.spread->high},
                      {"p", one.spread->p},
                      {"z", one.spread->z}};
  return json;
}

CheckJson night_json(const CheckResult::Night& night) {
  return {{"time", night.time},
          {"commit", night.commit},
          {"runs", night.runs},
          {"verdict", verdict_name(night.verdict)},
          {"medians", night.medians}};
}

}  // namespace

void write_check_json(const CheckResult& result, std::ostream& out) {
  CheckJson metrics = CheckJson::array(), structure = CheckJson::array(), nights = CheckJson::array();
  for (const CheckResult::Metric& one : result.metrics) metrics.push_back(metric_json(one));
  for (const CheckResult::Structure& one : result.structure)
    structure.push_back({{"id", one.id}, {"before", one.before}, {"after", one.after}});
  for (const CheckResult::Night& night : result.nights) nights.push_back(night_json(night));
  const CheckJson json = {{"schema", "waitdiag.check/1"},
                          {"case", result.case_name},
                          {"time", result.time},
                          {"commit", result.commit},
                          {"verdict", verdict_name(result.verdict)},
                          {"sentence", result.sentence},
                          {"fingerprint", result.fingerprint},
                          {"runs", result.runs},
                          {"reference_runs", result.reference_runs},
                          {"reference_nights", result.reference_nights},
                          {"metrics", metrics},
                          {"structure",
                           {{"compared", result.structure_compared},
                            {"changed", structure},
                            {"not_compared", result.not_compared}}},
                          {"notes", result.notes},
                          {"nights", nights}};
  out << json.dump(2, ' ', false, CheckJson::error_handler_t::replace) << '\n';
}

}  // namespace waitdiag

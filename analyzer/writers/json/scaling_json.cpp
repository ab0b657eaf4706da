// SPDX-License-Identifier: BSD-3-Clause
#include <cmath>
#include <nlohmann/json.hpp>
#include <ostream>

#include "analyzer/results/scaling.hpp"
#include "analyzer/wording/sentences.hpp"
#include "analyzer/writers/json/json.hpp"

namespace waitdiag {
namespace {

using ScalingJson = nlohmann::ordered_json;

ScalingJson number_or_null(double value) {
  return std::isfinite(value) ? ScalingJson(value) : ScalingJson(nullptr);
}

ScalingJson row_of(const ScalingReport::Row& row) {
  const ScalingReport::Model& model = row.model;
  return {{"call_path", row.call_path},
          {"communication", row.communication},
          {"mean_s", row.mean_s},
          {"most_s", row.most_s},
          {"model",
           {{"text", model.text},
            {"constant", model.constant},
            {"coefficient", model.coefficient},
            {"power", model.power},
            {"logarithms", model.logarithms},
            {"r_squared", number_or_null(model.r_squared)},
            {"smape", model.smape},
            {"left_out", number_or_null(model.left_out)}}},
          {"predicted_s", row.predicted_s}};
}

}  // namespace

void write_scaling_json(const ScalingReport& report, std::ostream& out) {
  ScalingJson rows = ScalingJson::array(), bottlenecks = ScalingJson::array();
  for (const ScalingReport::Row& row : report.rows) rows.push_back(row_of(row));
  for (const ScalingReport::Bottleneck& one : report.bottlenecks)
    bottlenecks.push_back({{"from_ranks", one.from_ranks},
                           {"call_path", one.call_path},
                           {"share", one.share},
                           {"measured", one.measured},
                           {"holds", one.holds}});
  const ScalingJson json = {{"schema", "waitdiag.scaling/1"},
                            {"verdict", scaling_verdict(report)},
                            {"program", report.program},
                            {"sources", report.sources},
                            {"ranks", report.sizes},
                            {"up_to", report.up_to},
                            {"runtime", row_of(report.runtime)},
                            {"startup_s", report.startup_s},
                            {"call_paths", rows},
                            {"left_out_share", report.left_out_share},
                            {"bottlenecks", bottlenecks},
                            {"cautions", report.cautions}};
  out << json.dump(2) << '\n';
}

}  // namespace waitdiag

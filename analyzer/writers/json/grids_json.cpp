// SPDX-License-Identifier: BSD-3-Clause
#include <nlohmann/json.hpp>
#include <ostream>

#include "analyzer/results/grids.hpp"
#include "analyzer/wording/sentences.hpp"
#include "analyzer/writers/json/json.hpp"

namespace waitdiag {

void write_grids_json(const GridReport& report, std::ostream& out) {
  using Json = nlohmann::ordered_json;
  Json json = {{"schema", "waitdiag.grids/1"},
               {"verdict", grids_verdict(report)},
               {"program", report.program},
               {"machine", report.machine},
               {"method", report.method},
               {"array", report.array},
               {"halo", report.halo},
               {"element_bytes", report.element_bytes},
               {"element_ns", report.element_ns},
               {"iterations", report.iterations},
               {"reductions", report.reductions},
               {"most_ranks", report.most_ranks},
               {"least_efficiency", report.least_efficiency},
               {"serial_s", report.serial_s},
               {"notes", report.notes},
               {"best", Json::array()}};
  for (const GridReport::Best& best : report.best)
    json["best"].push_back({{"grid", best.grid},
                            {"predicted_s", best.predicted_s},
                            {"efficiency", best.efficiency},
                            {"uniformity", best.uniformity},
                            {"grids", best.grids},
                            {"candidates", best.candidates},
                            {"evaluations", best.evaluations}});
  for (const GridReport::Tried& tried : report.tried)
    json["tried"].push_back(
        {{"grid", tried.grid}, {"predicted_s", tried.predicted_s}, {"efficiency", tried.efficiency}});
  out << json.dump(2, ' ', false, Json::error_handler_t::replace) << '\n';
}

}  // namespace waitdiag

// SPDX-License-Identifier: BSD-3-Clause
#include "tools/waitdiag/predict/prediction_page.hpp"

#include <utility>

#include "analyzer/writers/json/json.hpp"
#include "analyzer/writers/text/text.hpp"
#include "tools/waitdiag/output/figure_page.hpp"

namespace waitdiag::tool {

void write_prediction_page(const std::string& file, Prediction& prediction, Progress& progress) {
  if (file.empty()) return;
  const PredictionReport& report = prediction.report;
  const std::string program = report.recorded.program.empty() ? "run" : report.recorded.program;
  const auto tree = [&](std::ostream& out) { write_logic_tree_json(prediction.tree(Fold::Iterations), out); };
  write_figure_page(
      file,
      {.kind = "prediction",
       .title = program + " on " + report.scenario.machine + ": prediction",
       .parts = {{"prediction", text_of([&](std::ostream& out) { write_json(report, out); })},
                 {"tree", text_of(tree)},
                 {"measured", draw_run(prediction.drawn_beside(), {}, progress).data},
                 {"predicted", drawn(*prediction.run, *std::move(prediction.diagnosed)).data}},
       .text = [&](std::ostream& out) { write_prediction_text(report, {.style = {.utf8 = true}}, out); }});
}

}  // namespace waitdiag::tool

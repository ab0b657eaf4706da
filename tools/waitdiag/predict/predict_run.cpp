// SPDX-License-Identifier: BSD-3-Clause
#include "tools/waitdiag/predict/predict_run.hpp"

#include <unistd.h>

#include <iostream>

#include "analyzer/formats/write/write_archive.hpp"
#include "analyzer/predict.hpp"
#include "analyzer/writers/json/json.hpp"
#include "analyzer/writers/text/text.hpp"
#include "tools/waitdiag/command_line/errors.hpp"
#include "tools/waitdiag/input/open_trace.hpp"
#include "tools/waitdiag/output/figure_page.hpp"
#include "tools/waitdiag/output/output_file.hpp"
#include "tools/waitdiag/predict/prediction_page.hpp"
#include "tools/waitdiag/predict/prediction_request.hpp"

namespace waitdiag::tool {
namespace {

std::vector<RecordedRun> open_runs(const PredictOptions& command, Progress& progress) {
  std::vector<RecordedRun> runs;
  for (const auto& [path, problem] : named_runs(command.runs, command.rescale))
    runs.push_back({path,
                    open_trace({.path = path, .text = command.as_text, .partial = command.partial}, progress),
                    problem});
  return runs;
}

void write_run(const Trace& predicted, const std::string& directory) {
  if (directory.empty()) return;
  const std::uint64_t left_out = write_archive(predicted, directory, "waitdiag predict");
  if (left_out > 0)
    std::cerr << "waitdiag: " << directory << " lacks " << left_out
              << " records of one-sided communication, which cannot be written\n";
}

void write_tree(const PredictOptions& command, const Prediction& prediction) {
  if (command.alt.empty()) return;
  const LogicTree tree = prediction.tree(command.alt_full ? Fold::Nothing : Fold::Iterations);
  write_output_file(command.alt, [&](std::ostream& out) {
    is_graphviz(command.alt) ? write_logic_tree_dot(tree, out) : write_logic_tree_json(tree, out);
  });
}

}  // namespace

int predict(const PredictOptions& command) {
  const PredictionOptions options = prediction_options(command);
  Progress progress(command.text.quiet);
  Stages stages = progress.stages();
  Prediction prediction = waitdiag::predict(open_runs(command, progress), options, stages);
  write_measured(prediction.unit_times, command.node.write_unit_times);
  if (!command.write_machine.empty())
    write_output_file(command.write_machine,
                      [&](std::ostream& out) { out << machine_text(*prediction.recorded_machine); });
  write_tree(command, prediction);
  write_run(*prediction.run, command.write);
  write_prediction_page(command.html, prediction, progress);
  progress.erase();
  const PredictionReport& report = prediction.report;
  if (!command.json.empty())
    write_output_file(command.json, [&report](std::ostream& out) { write_json(report, out); });
  if (!prediction_takes_stdout(command) && !command.text.quiet)
    write_prediction_text(
        report, {.style = text_style(STDOUT_FILENO, command.text.color), .top = command.text.top}, std::cout);
  return kSuccess;
}

}  // namespace waitdiag::tool

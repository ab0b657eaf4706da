// SPDX-License-Identifier: BSD-3-Clause
#include "tools/waitdiag/predict/predict_run.hpp"

#include <unistd.h>

#include <iostream>
#include <stdexcept>

#include "analyzer/predict.hpp"
#include "analyzer/trace/write/write_archive.hpp"
#include "analyzer/writers/json/json.hpp"
#include "analyzer/writers/text/text.hpp"
#include "tools/waitdiag/command_line/errors.hpp"
#include "tools/waitdiag/command_line/figure_page.hpp"
#include "tools/waitdiag/command_line/open_trace.hpp"
#include "tools/waitdiag/predict/prediction_page.hpp"

namespace waitdiag::tool {
namespace {

bool is_dot(const std::string& file) {
  return file.ends_with(".dot") || file.ends_with(".gv");
}

bool prediction_takes_stdout(const PredictOptions& command) {
  return takes_stdout({{"--json", command.json},
                       {"--html", command.html},
                       {"--write-unit-times", command.node.write_unit_times},
                       {"--write-machine", command.write_machine}});
}

void check_written_files(const PredictOptions& command, const PredictionOptions& options) {
  if (!options.scenario.removed_waits.empty() && !command.write.empty())
    throw UsageError("--write cannot show a run without its waits: data would arrive before it is sent");
  if (!command.alt.empty() && !is_dot(command.alt) && !command.alt.ends_with(".json"))
    throw UsageError("--alt takes a file that ends in .json or .dot, not '" + command.alt + "'");
  if (command.alt_full && command.alt.empty()) throw UsageError("--alt-full goes with --alt");
  if (!command.write_machine.empty() && !wants_recorded_machine(options.scenario))
    throw UsageError(
        "--write-machine is for the machine that is found in the runs: leave out --machine and "
        "--ideal-network");
  need_pages(command.html);
  prediction_takes_stdout(command);
}

void check_run_count(const PredictOptions& command, bool another_size) {
  if (another_size) {
    if (!command.scenario.sweep.empty())
      throw UsageError("--sweep is for recorded runs: write the predicted one with --write first");
    if (!command.scenario.repair.empty())
      throw UsageError(
          "--repair is for a cause in a recorded run: write the predicted one with --write first");
    if (command.runs.empty() && command.rescale.runs.empty())
      throw UsageError("say which runs the prediction is to be made of");
    return;
  }
  if (command.runs.empty()) throw UsageError("DIR is required");
  if (command.runs.size() > 1)
    throw UsageError("several runs are for another size: say which with --ranks or --problem");
}

SweepRequest sweep_of(const std::string& text) {
  try {
    return parse_sweep(text);
  } catch (const std::invalid_argument& error) {
    throw UsageError(error.what());
  }
}

PredictionOptions options_of(const PredictOptions& command) {
  const bool another_size = wants_another_size(command.rescale);
  check_run_count(command, another_size);
  PredictionOptions options{
      .scenario = request_of(command.scenario),
      .nodes = node_request(command.node, another_size),
      .all_iterations = command.rescale.all_iterations || !command.write.empty() || !command.alt.empty(),
      .for_page = !command.html.empty()};
  if (another_size) options.size = size_of(command.rescale);
  if (!command.scenario.sweep.empty()) options.sweep = sweep_of(command.scenario.sweep);
  check_written_files(command, options);
  return options;
}

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
    is_dot(command.alt) ? write_logic_tree_dot(tree, out) : write_logic_tree_json(tree, out);
  });
}

}  // namespace

int predict(const PredictOptions& command) {
  const PredictionOptions options = options_of(command);
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

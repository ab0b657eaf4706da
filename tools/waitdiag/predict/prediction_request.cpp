// SPDX-License-Identifier: BSD-3-Clause
#include "tools/waitdiag/predict/prediction_request.hpp"

#include <stdexcept>

#include "tools/waitdiag/command_line/errors.hpp"
#include "tools/waitdiag/output/figure_page.hpp"
#include "tools/waitdiag/output/output_file.hpp"

namespace waitdiag::tool {
namespace {

void check_written_files(const PredictOptions& command, const PredictionOptions& options) {
  if (!options.scenario.removed_waits.empty() && !command.write.empty())
    throw UsageError("--write cannot show a run without its waits: data would arrive before it is sent");
  if (!command.alt.empty() && !is_graphviz(command.alt) && !command.alt.ends_with(".json"))
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

}  // namespace

bool is_graphviz(const std::string& file) {
  return file.ends_with(".dot") || file.ends_with(".gv");
}

bool prediction_takes_stdout(const PredictOptions& command) {
  return takes_stdout({{"--json", command.json},
                       {"--html", command.html},
                       {"--write-unit-times", command.node.write_unit_times},
                       {"--write-machine", command.write_machine}});
}

PredictionOptions prediction_options(const PredictOptions& command) {
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

}  // namespace waitdiag::tool

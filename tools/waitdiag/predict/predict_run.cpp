// SPDX-License-Identifier: BSD-3-Clause
#include "tools/waitdiag/predict/predict_run.hpp"

#include <unistd.h>

#include <iostream>

#include "analyzer/simulation/logic_tree/logic_tree.hpp"
#include "analyzer/simulation/prediction/predict_recorded.hpp"
#include "analyzer/simulation/replay/first_uses.hpp"
#include "analyzer/summary/make_report.hpp"
#include "analyzer/trace/parallel/parallel.hpp"
#include "analyzer/trace/write/write_archive.hpp"
#include "analyzer/writers/json/json.hpp"
#include "analyzer/writers/text/text.hpp"
#include "tools/waitdiag/command_line/errors.hpp"
#include "tools/waitdiag/command_line/figure_page.hpp"
#include "tools/waitdiag/command_line/recorded_machines.hpp"
#include "tools/waitdiag/predict/prediction_page.hpp"
#include "tools/waitdiag/predict/repair_options.hpp"
#include "tools/waitdiag/predict/sweep.hpp"

namespace waitdiag::tool {
namespace {

void write_run(const Trace& predicted, const std::string& directory) {
  const std::uint64_t left_out = write_archive(predicted, directory, "waitdiag predict");
  if (left_out > 0)
    std::cerr << "waitdiag: " << directory << " lacks " << left_out
              << " records of one-sided communication, which cannot be written\n";
}

bool is_dot(const std::string& file) {
  return file.ends_with(".dot") || file.ends_with(".gv");
}

LogicTree tree_of(const PredictedPath& path, const Scenario& scenario, Fold fold) {
  LogicTree tree = make_logic_tree(path.run, path.sync, path.dependencies, path.activities, path.path, fold);
  tree.machine = scenario.machine.name;
  return tree;
}

void write_tree(const PredictOptions& command, const PredictedPath& path, const Scenario& scenario) {
  if (command.alt.empty()) return;
  const LogicTree tree = tree_of(path, scenario, command.alt_full ? Fold::Nothing : Fold::Iterations);
  write_output_file(command.alt, [&](std::ostream& out) {
    is_dot(command.alt) ? write_logic_tree_dot(tree, out) : write_logic_tree_json(tree, out);
  });
}

bool prediction_takes_stdout(const PredictOptions& command) {
  return takes_stdout({{"--json", command.json},
                       {"--html", command.html},
                       {"--write-unit-times", command.node.write_unit_times},
                       {"--write-machine", command.write_machine}});
}

void check_options(const PredictOptions& command) {
  const bool contradictory = !command.scenario.remove_waits.empty();
  if (contradictory && !command.write.empty())
    throw UsageError("--write cannot show a run without its waits: data would arrive before it is sent");
  if (!command.alt.empty() && !is_dot(command.alt) && !command.alt.ends_with(".json"))
    throw UsageError("--alt takes a file that ends in .json or .dot, not '" + command.alt + "'");
  need_pages(command.html);
  prediction_takes_stdout(command);
  if (!command.write_machine.empty() && !wants_recorded_machine(command.scenario))
    throw UsageError(
        "--write-machine is for the machine that is found in the runs: leave out --machine and "
        "--ideal-network");
  check_node_options(command.node, wants_another_size(command.rescale));
  if (command.alt_full && command.alt.empty()) throw UsageError("--alt-full goes with --alt");
}

void add_sweep(const PredictOptions& command, RecordedPrediction& prediction, const Scenario& scenario,
               PredictionReport& report) {
  const Sweep sweep = make_sweep(command.scenario.sweep, scenario);
  report.sweep_parameter = sweep.parameter;
  report.sweep_current = sweep.current;
  report.sweep.resize(sweep.points.size());
  for_each_index(sweep.points.size(), [&](std::size_t i) {
    const Sweep::Point& point = sweep.points[i];
    report.sweep[i] = {point.value, point.label, prediction.figures(point.scenario, sweep.computation)};
  });
}

void add_repairs(const Repairs& repairs, const std::vector<std::string>& names, Scenario unchanged,
                 RecordedPrediction& prediction, PredictionReport& report) {
  if (names.empty()) return;
  unchanged.repairs.clear();
  report.repairs = {repairs.rows(names), prediction.figures(unchanged, true).runtime_s};
}

void write_results(const PredictOptions& command, const PredictionReport& report) {
  if (!command.json.empty())
    write_output_file(command.json, [&report](std::ostream& out) { write_json(report, out); });
  if (!prediction_takes_stdout(command) && !command.text.quiet)
    write_prediction_text(
        report, {.style = text_style(STDOUT_FILENO, command.text.color), .top = command.text.top}, std::cout);
}

TraceSource source_of(const PredictOptions& command, const std::string& run) {
  return {.path = run, .text = command.as_text, .partial = command.partial};
}

DiagnosisOptions waits_of(const Scenario& scenario) {
  DiagnosisOptions options{.replays = Replays::Never};
  options.eager_threshold_bytes = waits_on(scenario.machine).eager_threshold_bytes;
  return options;
}

const Trace& trace_named(const std::string& name, const std::vector<NamedRun>& named,
                         const std::vector<Trace>& traces) {
  std::size_t i = 0;
  while (i + 1 < named.size() && named[i].path != name) ++i;
  return traces[i];
}

// Options that ask for the predicted run itself need all of its iterations.
bool wants_all_iterations(const PredictOptions& command) {
  return command.rescale.all_iterations || !command.write.empty() || !command.alt.empty() ||
         !command.html.empty() || !command.scenario.repair.empty();
}

// Predicts another number of ranks, or another problem.
int predict_another_size(const PredictOptions& command) {
  check_rescaling(command.rescale, command.scenario);
  Progress progress(command.text.quiet);
  std::vector<NamedRun> named = named_runs(command.runs, command.rescale);
  std::vector<Trace> traces;
  traces.reserve(named.size());
  for (const NamedRun& run : named) {
    Trace trace = open_trace(source_of(command, run.path), progress);
    const SyncPoints sync = match(trace);
    traces.push_back(with_first_uses(std::move(trace), sync));
  }
  RescaleRequest request = make_request(named, traces, command.rescale);
  request.all_iterations = wants_all_iterations(command);
  request.where_recorded = changes_nothing(command.scenario);
  request.machine_measured = names_measured_machine(command.scenario);
  progress.show("replaying", 0);
  RecordedMachines machines(progress);
  const bool recorded = wants_recorded_machine(command.scenario);
  RescaledPrediction prediction =
      predict_rescaled(request, [&](std::size_t ranks, std::span<const SizedRun> known) {
        return make_scenario(command.scenario, ranks, recorded ? &machines.of(known) : nullptr);
      });
  if (recorded) {
    const RecordedMachine& machine = machines.of_most();
    prediction.report.recorded_machine = machine.report;
    write_machine(machine, command.write_machine);
  }
  prediction.report.scenario.edits = edits_of(command.scenario);
  const PredictedPath path(*prediction.run, prediction.scenario);
  prediction.report.critical_path =
      path_entries(path, prediction.before.get(), prediction.report.steady, prediction.scenario);
  write_tree(command, path, prediction.scenario);
  if (!command.write.empty()) write_run(*prediction.run, command.write);
  RescalingReport& rescaling = *prediction.report.rescaling;
  if (command.html.empty()) {
    Stages stages([&progress](std::string_view step, double fraction) { progress.show(step, fraction); });
    add_causes(make_report(*prediction.run, waits_of(prediction.scenario), stages), rescaling);
  } else {
    const DrawnRun predicted = draw_run(*prediction.run, waits_of(prediction.scenario), progress);
    add_causes(predicted.report, rescaling);
    const DrawnRun measured =
        draw_run(trace_named(rescaling.sources.back().name, named, traces), {}, progress);
    write_prediction_page(
        command.html,
        {prediction.report, tree_of(path, prediction.scenario, Fold::Iterations), measured, predicted});
  }
  progress.erase();
  write_results(command, prediction.report);
  return kSuccess;
}

}  // namespace

int predict(const PredictOptions& command) {
  check_options(command);
  if (wants_another_size(command.rescale)) return predict_another_size(command);
  if (command.runs.empty()) throw UsageError("DIR is required");
  if (command.runs.size() > 1)
    throw UsageError("several runs are for another size: say which with --ranks or --problem");
  Progress progress(command.text.quiet);
  Trace trace = open_trace(source_of(command, command.runs.front()), progress);
  const std::vector<std::string>& repaired = command.scenario.repair;
  if (std::optional<Trace> joined = repaired.empty() ? std::nullopt : as_diagnosed(trace, {}))
    trace = std::move(*joined);
  SyncPoints sync = match(trace);
  trace = with_first_uses(std::move(trace), sync);
  const Repairs repairs(trace, !repaired.empty(), progress);
  RecordedMachines machines(progress);
  const RecordedMachine* recorded = nullptr;
  if (wants_recorded_machine(command.scenario)) {
    recorded = &machines.of({&trace, command.runs.front(), &sync});
    write_machine(*recorded, command.write_machine);
  }
  Scenario scenario = make_scenario(command.scenario, trace.ranks(), recorded);
  NodeScaling nodes = scale_nodes(command.node, trace);
  scenario.factors = std::move(nodes.factors);
  scenario.repairs = repairs.named(repaired);
  progress.show("replaying", 0);
  RecordedPrediction prediction(trace, scenario, wants_all_iterations(command), std::move(sync));
  const PredictedPath path(prediction.run(), scenario);
  PredictionReport report = prediction.report(path);
  report.scenario.edits = edits_of(command.scenario);
  report.scenario.edits.insert(report.scenario.edits.begin(), nodes.edits.begin(), nodes.edits.end());
  report.unit_times = std::move(nodes.unit_times);
  add_repairs(repairs, repaired, scenario, prediction, report);
  if (recorded != nullptr) report.recorded_machine = recorded->report;
  write_tree(command, path, scenario);
  progress.show("predicting the sweep", 0);
  add_sweep(command, prediction, scenario, report);
  if (!command.write.empty()) write_run(prediction.run(), command.write);
  if (!command.html.empty()) {
    const DrawnRun predicted_run = draw_run(prediction.run(), waits_of(scenario), progress);
    add_what_ifs(prediction.predictor(), {command.scenario, scenario.factors, recorded, repairs},
                 predicted_run.report, trace.ranks(), report);
    write_prediction_page(command.html, {report, tree_of(path, scenario, Fold::Iterations),
                                         draw_run(trace, {}, progress), predicted_run});
  }
  progress.erase();
  write_results(command, report);
  return kSuccess;
}

}  // namespace waitdiag::tool

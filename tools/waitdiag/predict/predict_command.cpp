// waitdiag predict: a recorded run on another machine, with other computation, or of another size.
//
// SPDX-License-Identifier: BSD-3-Clause
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <iostream>
#include <memory>

#include "analyzer/diagnose.hpp"
#include "analyzer/simulation/logic_tree/logic_tree.hpp"
#include "analyzer/simulation/prediction/predict_recorded.hpp"
#include "analyzer/trace/parallel/parallel.hpp"
#include "analyzer/trace/write/write_archive.hpp"
#include "analyzer/writers/json/json.hpp"
#include "analyzer/writers/text/text.hpp"
#include "tools/waitdiag/command_line/choice.hpp"
#include "tools/waitdiag/command_line/command.hpp"
#include "tools/waitdiag/command_line/errors.hpp"
#include "tools/waitdiag/command_line/figure_page.hpp"
#include "tools/waitdiag/command_line/recorded_machines.hpp"
#include "tools/waitdiag/command_line/text_output.hpp"
#include "tools/waitdiag/predict/node_options.hpp"
#include "tools/waitdiag/predict/prediction_page.hpp"
#include "tools/waitdiag/predict/rescale_options.hpp"
#include "tools/waitdiag/predict/scenario_options.hpp"
#include "tools/waitdiag/predict/sweep.hpp"

namespace waitdiag::tool {
namespace {

struct PredictCommand {
  std::vector<std::string> runs;
  bool as_text = false, partial = false;
  RescaleOptions rescale;
  ScenarioOptions scenario;
  NodeOptions node;
  std::string json, write, alt, html, write_machine;
  bool alt_full = false;
  TextOutput text;
};

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

void write_tree(const PredictCommand& command, const PredictedPath& path, const Scenario& scenario) {
  if (command.alt.empty()) return;
  const LogicTree tree = tree_of(path, scenario, command.alt_full ? Fold::Nothing : Fold::Iterations);
  write_output_file(command.alt, [&](std::ostream& out) {
    is_dot(command.alt) ? write_logic_tree_dot(tree, out) : write_logic_tree_json(tree, out);
  });
}

bool prediction_takes_stdout(const PredictCommand& command) {
  return takes_stdout({{"--json", command.json},
                       {"--html", command.html},
                       {"--write-unit-times", command.node.write_unit_times},
                       {"--write-machine", command.write_machine}});
}

void check_options(const PredictCommand& command) {
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

void add_sweep(const PredictCommand& command, RecordedPrediction& prediction, const Scenario& scenario,
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

void write_results(const PredictCommand& command, const PredictionReport& report) {
  if (!command.json.empty())
    write_output_file(command.json, [&report](std::ostream& out) { write_prediction_json(report, out); });
  if (!prediction_takes_stdout(command) && !command.text.quiet)
    write_prediction_text(
        report, {.style = text_style(STDOUT_FILENO, command.text.color), .top = command.text.top}, std::cout);
}

TraceSource source_of(const PredictCommand& command, const std::string& run) {
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

// Whoever wants the run itself wants all of it.
bool wants_all_iterations(const PredictCommand& command) {
  return command.rescale.all_iterations || !command.write.empty() || !command.alt.empty() ||
         !command.html.empty();
}

// Another number of ranks, or another problem.
int predict_another_size(const PredictCommand& command) {
  check_rescaling(command.rescale, command.scenario);
  Progress progress(command.text.quiet);
  std::vector<NamedRun> named = named_runs(command.runs, command.rescale);
  std::vector<Trace> traces;
  traces.reserve(named.size());
  for (const NamedRun& run : named) traces.push_back(open_trace(source_of(command, run.path), progress));
  RescaleRequest request = make_request(named, traces, command.rescale);
  request.all_iterations = wants_all_iterations(command);
  request.where_recorded = changes_nothing(command.scenario);
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
    add_causes(diagnose(*prediction.run, waits_of(prediction.scenario), stages), rescaling);
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

int predict(const PredictCommand& command) {
  check_options(command);
  if (wants_another_size(command.rescale)) return predict_another_size(command);
  if (command.runs.empty()) throw UsageError("DIR is required");
  if (command.runs.size() > 1)
    throw UsageError("several runs are for another size: say which with --ranks or --problem");
  Progress progress(command.text.quiet);
  const Trace trace = open_trace(source_of(command, command.runs.front()), progress);
  RecordedMachines machines(progress);
  std::optional<SyncPoints> sync;
  const RecordedMachine* recorded = nullptr;
  if (wants_recorded_machine(command.scenario)) {
    sync = match(trace);
    recorded = &machines.of({&trace, command.runs.front(), &*sync});
    write_machine(*recorded, command.write_machine);
  }
  Scenario scenario = make_scenario(command.scenario, trace.ranks(), recorded);
  NodeScaling nodes = scale_nodes(command.node, trace);
  scenario.factors = std::move(nodes.factors);
  progress.show("replaying", 0);
  RecordedPrediction prediction(trace, scenario, wants_all_iterations(command), std::move(sync));
  const PredictedPath path(prediction.run(), scenario);
  PredictionReport report = prediction.report(path);
  report.scenario.edits = edits_of(command.scenario);
  report.scenario.edits.insert(report.scenario.edits.begin(), nodes.edits.begin(), nodes.edits.end());
  report.unit_times = std::move(nodes.unit_times);
  if (recorded != nullptr) report.recorded_machine = recorded->report;
  write_tree(command, path, scenario);
  progress.show("predicting the sweep", 0);
  add_sweep(command, prediction, scenario, report);
  if (!command.write.empty()) write_run(prediction.run(), command.write);
  if (!command.html.empty()) {
    const DrawnRun predicted_run = draw_run(prediction.run(), waits_of(scenario), progress);
    add_what_ifs(prediction.predictor(), {command.scenario, scenario.factors, recorded}, predicted_run.report,
                 trace.ranks(), report);
    write_prediction_page(command.html, {report, tree_of(path, scenario, Fold::Iterations),
                                         draw_run(trace, {}, progress), predicted_run});
  }
  progress.erase();
  write_results(command, report);
  return kSuccess;
}

}  // namespace

void add_scenario_options(CLI::App& command, ScenarioOptions& options) {
  std::string names;
  for (const ReadyMachine& machine : ready_machines())
    names += std::string(names.empty() ? "" : ", ") + machine.name;
  command
      .add_option("--machine", options.machine,
                  "The machine to predict for: a TOML file, or one that is known: " + names +
                      ", recorded (found in the runs) [recorded]")
      ->type_name("NAME|FILE");
  command.add_flag("--ideal-network", options.ideal_network,
                   "Short for --machine ideal: messages cost nothing");
  command
      .add_option("--swap-machine", options.swap_machine,
                  "Take the network, or how fast it computes, from another machine: network=mvs-15k")
      ->type_name("PART=NAME|FILE");
  command
      .add_option("--map", options.map,
                  "Ranks fill one node after the other, take turns, or as a file says: one core per line")
      ->type_name("block|cyclic|FILE");
  command
      .add_option("--ranks-per-node", options.ranks_per_node, "So many ranks on each node [all its cores]")
      ->check(number_between(1, 1000000))
      ->type_name("N");
  command
      .add_option("--compute-scale", options.compute_scale,
                  "Computation takes so many times as long, besides what the machine says [1]")
      ->check(number_between(0.0, 1e6))
      ->type_name("X");
  command
      .add_option("--balance", options.balance,
                  "Every rank with this call path spends their mean in it; may be repeated")
      ->type_name("CALLPATH");
  command
      .add_option("--speedup", options.speedup,
                  "This call path is so many times faster: solve=2; may be repeated")
      ->type_name("CALLPATH=X");
  command
      .add_option("--remove-waits", options.remove_waits,
                  "Nobody waits in this way (an id of `waitdiag patterns`, or all): the most that repair can "
                  "bring; may be repeated")
      ->type_name("PATTERN");
  command
      .add_option("--sweep", options.sweep,
                  "Predict for several values of " + sweep_parameters() +
                      "; of another level than the outermost: latency@core=1us..10us/5")
      ->type_name("WHAT=A..B/N");
}

void add_node_options(CLI::App& command, NodeOptions& options) {
  command
      .add_option(
          "--unit-times", options.unit_times,
          "Each call path takes as long per execution as in this file, which --write-unit-times made of a "
          "run of the same program on the other machine; corrects for loaded nodes")
      ->type_name("FILE.toml");
  command
      .add_option(
          "--write-unit-times", options.write_unit_times,
          "Write how long one execution of each call path takes in this run, as on unloaded nodes; - is "
          "stdout, then alone")
      ->type_name("FILE.toml");
  command.add_flag("--unloaded", options.unloaded,
                   "Computation as if every rank had had a whole core, where others wanted it, too");
  command.add_flag("--as-recorded", options.as_recorded,
                   "Do not correct for loaded nodes in --unit-times and --write-unit-times");
}

void add_rescale_options(CLI::App& command, RescaleOptions& options) {
  command
      .add_option("--ranks", options.ranks,
                  "Predict for so many ranks, from runs with several smaller numbers of them")
      ->check(number_between(1, 1 << 20))
      ->type_name("N");
  command
      .add_option("--problem", options.problem,
                  "Predict for another problem, from runs that carry their size (WAITPROF_PROBLEM=n=256 when "
                  "they are "
                  "recorded, or --runs)")
      ->type_name("NAME=X");
  command.add_option("--runs", options.runs, "A run and its problem's size: n=256:DIR; may be repeated")
      ->type_name("NAME=X:DIR");
  command
      .add_option("--grid", options.grid,
                  "The program's grid of that many ranks, where runs do not tell: 8x8x4")
      ->type_name("AxB...");
  command.add_flag(
      "--all-iterations", options.all_iterations,
      "Replay every iteration, even if a few tell how long the others take; so do --write, --alt, "
      "--html and --remove-waits");
}

void add_predict_command(CLI::App& app, Action& action) {
  const auto options = std::make_shared<PredictCommand>();
  CLI::App* command =
      app.add_subcommand("predict", "Say how long a run would take on another machine, or with more ranks");
  command->footer(
      "A machine is measured by `mpiexec.mpich -n N waitdiag-calibrate -o machine.toml`, on at least two of "
      "its "
      "nodes.\n"
      "Example: waitdiag predict waitprof-solver-64p-20261120-1432 --machine gigabit-multicore --map cyclic");
  command
      ->add_option(
          "DIR", options->runs,
          "Archive directory, its anchor file (*.otf2), or a *.case or *.trace text file; several with "
          "different numbers of ranks for --ranks")
      ->type_name("");
  command->add_flag("--text", options->as_text,
                    "Read DIR as a text file in the notation that `export --text` prints");
  command->add_flag("--partial", options->partial,
                    "Read what is left of a damaged archive; figures may be wrong");
  add_rescale_options(*command, options->rescale);
  add_scenario_options(*command, options->scenario);
  add_node_options(*command, options->node);
  command
      ->add_option("--json", options->json,
                   "Write the prediction as JSON (schema waitdiag.prediction/1); - is stdout, then alone")
      ->type_name("FILE");
  command
      ->add_option("--write", options->write,
                   "Write the predicted run as an OTF2 archive, for `report` and others")
      ->check(directory_to_write())
      ->type_name("DIR");
  command
      ->add_option(
          "--alt", options->alt,
          "Write what the predicted run consists of, its longest path marked, as a graph: JSON (schema "
          "waitdiag.logic-tree/1) or for Graphviz, by the name's end")
      ->type_name("FILE.json|FILE.dot");
  command
      ->add_option("--write-machine", options->write_machine,
                   "Write the machine that was found in the runs, to look at, correct and name with "
                   "--machine; - is stdout, then alone")
      ->type_name("FILE.toml");
  add_html_option(*command, options->html, "the measured and the predicted run, what-ifs and sweeps");
  command->add_flag("--alt-full", options->alt_full, "With --alt: every iteration and rank by itself");
  add_text_options(*command, options->text, "Print no text and no progress; write only the files asked for");
  command->callback([options, &action] { action = [options] { return predict(*options); }; });
}

}  // namespace waitdiag::tool

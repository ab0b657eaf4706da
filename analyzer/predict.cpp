// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/predict.hpp"

#include <algorithm>
#include <utility>

#include "analyzer/predict_what_ifs.hpp"
#include "analyzer/scaling/rescaling/predict_rescaled.hpp"
#include "analyzer/simulation/prediction/predict_recorded.hpp"
#include "analyzer/simulation/replay/first_uses.hpp"
#include "analyzer/trace/model/trace_error.hpp"
#include "analyzer/trace/parallel/parallel.hpp"
#include "analyzer/trace/sync/parts_of_call.hpp"
#include "analyzer/wording/sentences.hpp"
#include "libwaitprof/schema/schema.hpp"

namespace waitdiag {
namespace {

// A predicted run is not replayed once more.
DiagnosisOptions waits_of(const Scenario& scenario, bool for_page) {
  DiagnosisOptions options{.replays = Replays::Never};
  options.eager_threshold_bytes = waits_on(scenario.machine).eager_threshold_bytes;
  options.messages = options.culprits = for_page;
  return options;
}

std::vector<std::string> words_of(const ScenarioRequest& request) {
  std::vector<std::string> words;
  for (const Edit& edit : edits_of(request)) words.push_back(edit.words);
  return words;
}

// Another size.

std::map<std::string, double> recorded_problem(const RecordedRun& run) {
  const auto property = run.trace.facts().properties.find(waitprof::schema::kProblem);
  if (property == run.trace.facts().properties.end()) return {};
  if (auto problem = parse_problem(property->second)) return *std::move(problem);
  throw TraceError(run.name + " was recorded with the problem '" + property->second +
                   "', which is not NAME=X; say its size with --run NAME=X:" + run.name);
}

RescaleRequest rescale_request(const std::vector<RecordedRun>& runs, const PredictionOptions& options) {
  RescaleRequest request{.scenario = options.scenario,
                         .grid = options.size->grid,
                         .all_iterations = options.all_iterations || options.for_page,
                         .where_recorded = changes_nothing(options.scenario),
                         .machine_measured = names_measured_machine(options.scenario)};
  int most = 0;
  for (const RecordedRun& run : runs) {
    const int ranks = static_cast<int>(run.trace.ranks());
    most = std::max(most, ranks);
    request.runs.push_back(
        {{&run.trace, run.name}, {ranks, run.problem.empty() ? recorded_problem(run) : run.problem}});
  }
  request.target = {options.size->ranks > 0 ? options.size->ranks : most, options.size->problem};
  // A size that is not to change keeps the value that it has in all runs.
  for (const auto& [name, value] : request.runs.front().size.problem) {
    const bool same = std::ranges::all_of(request.runs, [&, &key = name, &all = value](const SizedRun& run) {
      const auto found = run.size.problem.find(key);
      return found != run.size.problem.end() && found->second == all;
    });
    if (same) request.target.problem.try_emplace(name, value);
  }
  return request;
}

void add_causes(const Report& diagnosis, RescalingReport& report) {
  for (const Report::Wait& wait : diagnosis.waits)
    if (wait.waiting && wait.part_of.empty())
      report.waits.push_back({wait.pattern, wait.title, wait.total_s});
  for (const Report::Cause& cause : diagnosis.causes) {
    std::vector<std::int64_t> ranks;
    for (const Report::ByRank& entry : cause.ranks) ranks.push_back(entry.rank);
    std::ranges::sort(ranks);
    report.causes.push_back(
        {cause.call_path, cause.kind, cause.waiting_s, cause.share_of_waiting, std::move(ranks)});
  }
}

void predict_another_size(const PredictionOptions& options, Stages& stages, Prediction& result) {
  for (RecordedRun& run : result.recorded) {
    const SyncPoints sync = match(run.trace);
    run.trace = with_first_uses(std::move(run.trace), sync);
  }
  const RescaleRequest request = rescale_request(result.recorded, options);
  RescaledPrediction rescaled = stages.run("replaying", [&] { return predict_rescaled(request); });
  result.report = std::move(rescaled.report);
  result.run = std::move(rescaled.run);
  result.recorded_machine = std::move(rescaled.machine);
  if (result.recorded_machine) result.report.recorded_machine = result.recorded_machine->report;
  result.report.scenario.edits = words_of(options.scenario);
  result.path = std::make_unique<PredictedPath>(*result.run, rescaled.scenario);
  result.report.critical_path =
      path_entries(*result.path, rescaled.before.get(), result.report.steady, rescaled.scenario);
  const DiagnosisOptions waits = waits_of(rescaled.scenario, options.for_page);
  if (options.for_page) result.diagnosed.emplace(diagnosed(*result.run, waits, stages));
  add_causes(result.diagnosed ? result.diagnosed->report : make_report(*result.run, waits, stages),
             *result.report.rescaling);
}

// A recorded run.

struct NodeScaling {
  ComputationFactors factors{};
  std::optional<PredictionReport::UnitTimes> unit_times{};
  std::vector<std::string> words{};
};

NodeScaling scale_nodes(const NodeRequest& request, const Trace& trace,
                        std::optional<MeasuredUnitTimes>& measured) {
  NodeScaling scaling;
  ComputationFactors corrected;
  if (!request.as_recorded && (request.unit_times || request.unloaded || request.measure))
    corrected = unloaded(trace);
  if (request.measure) {
    measured = {measure_unit_times(trace, corrected), corrected.notes};
    if (measured->times.call_paths.empty())
      throw TraceError(
          "this run has no computation, so there are no unit times to write: record a longer run");
  }
  if (request.unloaded) scaling.words.emplace_back("as on unloaded nodes");
  if (request.unit_times || request.unloaded) scaling.factors = std::move(corrected);
  if (request.unit_times) {
    const auto& [name, times] = *request.unit_times;
    scaling.unit_times = scale_by_unit_times(trace, times, name, scaling.factors);
    scaling.words.push_back("unit times of " + name);
  }
  return scaling;
}

void add_sweep(const SweepRequest& request, const Scenario& scenario, RecordedPrediction& prediction,
               PredictionReport& report) {
  const Sweep sweep = make_sweep(request, scenario);
  report.sweep_parameter = request.name;
  report.sweep_current = sweep.current;
  report.sweep.resize(sweep.points.size());
  for_each_index(sweep.points.size(), [&](std::size_t i) {
    const Sweep::Point& point = sweep.points[i];
    report.sweep[i] = {point.value, point.label, prediction.figures(point.scenario, sweep.computation)};
  });
}

bool repairs_alone(ScenarioRequest request) {
  request.repairs.clear();
  return changes_nothing(request);
}

void predict_recorded(const PredictionOptions& options, Stages& stages, Prediction& result) {
  RecordedRun& recorded = result.recorded.front();
  const std::vector<std::string>& repaired = options.scenario.repairs;
  // On another machine, polls take another time.
  const bool as_in_reports = keeps_machine(options.scenario) || !repaired.empty();
  if (std::optional<Trace> joined = as_in_reports ? as_diagnosed(recorded.trace, {}) : std::nullopt)
    recorded.trace = std::move(*joined);
  SyncPoints sync = match(recorded.trace);
  recorded.trace = with_first_uses(std::move(recorded.trace), sync);
  const Trace& trace = recorded.trace;
  const NamedRepairs repairs = repaired.empty() ? NamedRepairs() : NamedRepairs(trace, stages);
  if (wants_recorded_machine(options.scenario))
    result.recorded_machine = stages.run("looking for the machine in the runs", [&] {
      return find_recorded_machine(std::vector<RunOfMachine>{{&trace, recorded.name, &sync}});
    });
  const RecordedMachine* const machine = result.recorded_machine ? &*result.recorded_machine : nullptr;
  NodeScaling nodes = scale_nodes(options.nodes, trace, result.unit_times);
  Scenario scenario = make_scenario(options.scenario, trace.ranks(), machine);
  scenario.factors = std::move(nodes.factors);
  scenario.repairs = repairs.named(repaired);
  const bool all_iterations = options.all_iterations || options.for_page || !repaired.empty();
  std::optional<RecordedPrediction> replayed;
  stages.run("replaying", [&] { replayed.emplace(trace, scenario, all_iterations, std::move(sync)); });
  RecordedPrediction& prediction = *replayed;
  result.run = prediction.shared_run();
  result.path = std::make_unique<PredictedPath>(*result.run, scenario);
  PredictionReport& report = result.report;
  report = prediction.report(*result.path);
  report.scenario.edits = std::move(nodes.words);
  std::ranges::move(words_of(options.scenario), std::back_inserter(report.scenario.edits));
  report.unit_times = std::move(nodes.unit_times);
  if (!repaired.empty()) {
    Scenario unchanged = scenario;
    unchanged.repairs.clear();
    report.repairs = {repairs.rows(repaired), prediction.figures(unchanged, true).runtime_s};
  }
  if (machine != nullptr) report.recorded_machine = machine->report;
  if (repaired.empty() || repairs_alone(options.scenario)) report.verdict = prediction_verdict(report);
  if (options.sweep)
    stages.run("predicting the sweep", [&] { add_sweep(*options.sweep, scenario, prediction, report); });
  if (!options.for_page) return;
  result.diagnosed.emplace(diagnosed(*result.run, waits_of(scenario, true), stages));
  stages.run("trying what-ifs", [&] {
    add_what_ifs(prediction.predictor(),
                 {options.scenario, scenario.factors, machine, repairs, trace.ranks()},
                 result.diagnosed->report, report);
  });
}

}  // namespace

LogicTree Prediction::tree(Fold fold) const {
  LogicTree tree =
      make_logic_tree(path->run, path->sync, path->dependencies, path->activities, path->path, fold);
  tree.machine = report.scenario.machine;
  return tree;
}

const Trace& Prediction::drawn_beside() const {
  if (!report.rescaling) return recorded.front().trace;
  const auto largest = std::ranges::find(recorded, report.rescaling->sources.back().name, &RecordedRun::name);
  return largest->trace;
}

Prediction predict(std::vector<RecordedRun> runs, const PredictionOptions& options, Stages& stages) {
  Prediction result;
  result.recorded = std::move(runs);
  for (RecordedRun& run : result.recorded) run.trace = with_whole_calls(std::move(run.trace));
  options.size ? predict_another_size(options, stages, result) : predict_recorded(options, stages, result);
  return result;
}

}  // namespace waitdiag

// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/simulation/prediction/predict.hpp"

#include <algorithm>

#include "analyzer/simulation/prediction/removed_waits.hpp"
#include "analyzer/trace/derived/retimed.hpp"
#include "analyzer/trace/model/trace_error.hpp"
#include "libwaitprof/schema/schema.hpp"

namespace waitdiag {
namespace {

std::string rank_name(const Trace& trace, std::uint32_t location) {
  return "rank " + std::to_string(static_cast<int>(trace.rank(Location(location))));
}

// "rank 0 in main/MPI_Send waits for rank 1 to receive 4096 bytes; rank 1 ..."
[[noreturn]] void refuse(const Trace& trace, const std::vector<Replayed::Stuck>& cycle) {
  constexpr std::size_t kMost = 6;
  std::string text = "the run cannot finish on this machine: ";
  for (std::size_t i = 0; i < cycle.size() && i < kMost; ++i) {
    const Replayed::Stuck& stuck = cycle[i];
    const Timeline& timeline = trace.timeline(Location(stuck.location));
    const std::string call =
        stuck.op < timeline.size() ? " in " + trace.call_path_name(timeline.call_path(stuck.op)) : "";
    text += (i == 0 ? "" : "; ") + rank_name(trace, stuck.location) + call + " waits for " +
            rank_name(trace, stuck.waits_for) + " " + stuck.what;
  }
  if (cycle.size() > kMost) text += "; and " + std::to_string(cycle.size() - kMost) + " more";
  throw TraceError(text +
                   " (likely: sends that the machine's eager limit makes wait for their receivers, or a "
                   "trace that is not complete; try a larger `eager` in the machine file)");
}

}  // namespace

// 0 would mean that the limit is learned from the trace.
DetectOptions waits_on(const Machine& machine) {
  return {.eager_threshold_bytes = std::max<std::uint64_t>(1, machine.detached_bytes)};
}

Predictor::Predictor(const Trace& trace) : Predictor(trace, match(trace)) {}

Prepared Predictor::prepare(const Scenario& scenario) const {
  Approximations approximations;
  ScenarioTimes times = scenario_times(trace_, scenario, approximations);
  Prepared prepared{make_program(trace_, sync_, times.gaps), std::move(times.pieces)};
  for (const Approximation& one : prepared.program.approximations.all())
    approximations.add(one.id, one.text, one.count, one.time);
  prepared.program.approximations = std::move(approximations);
  return prepared;
}

Predicted Predictor::predict(const Prepared& prepared, const Scenario& scenario, bool keep_times) const {
  Predicted predicted;
  const Placement places = placement(scenario);
  const CollectiveTable collectives = find_collectives(scenario.machine.collectives);
  const bool in_calls = std::ranges::any_of(
      scenario.repairs, [](const Repair& repair) { return !of_computation_only(*repair.change); });
  const bool times = keep_times || in_calls || !scenario.removed_waits.empty();
  predicted.run = replay(prepared.program, {scenario.machine, places, collectives}, times);
  if (!predicted.run.cycle.empty()) refuse(trace_, predicted.run.cycle);
  for (std::size_t l = 0; times && l < prepared.pieces.size(); ++l)
    predicted.run.times[l].pieces = prepared.pieces[l];
  predicted.approximations = prepared.program.approximations;
  predicted.operations = prepared.program.operations;
  predicted.approximations.add("timed_rounds",
                               "collective operations of very many messages are timed round by round; ports "
                               "that messages share may make them longer by as much together",
                               predicted.run.bounded, predicted.run.most_delay);
  if (!scenario.recorded_places)
    predicted.approximations.add("shared_cores",
                                 "ranks that share a core compute as fast as if each had one of its own",
                                 places.sharing_cores(), {});
  if (in_calls)
    shorten_calls(trace_of(predicted, scenario), waits_on(scenario.machine), scenario.repairs, predicted);
  if (!scenario.removed_waits.empty())
    remove_waits(trace_of(predicted, scenario), waits_on(scenario.machine), scenario.removed_waits,
                 predicted);
  return predicted;
}

Placement Predictor::placement(const Scenario& scenario) const {
  return scenario.cores.empty() ? Placement(scenario.machine, trace_.ranks())
                                : Placement(scenario.machine, scenario.cores);
}

// By rank; empty where the ranks are where they were recorded, or nowhere in particular.
std::vector<std::string> Predictor::nodes(const Scenario& scenario) const {
  const Machine& machine = scenario.machine;
  if (scenario.recorded_places || machine.levels.empty()) return {};
  const Placement places = placement(scenario);
  const bool has_nodes = machine.levels[node_level(machine)].name == "node";
  std::vector<std::string> names;
  for (std::size_t rank = 0; rank < trace_.ranks(); ++rank)
    names.push_back(has_nodes ? "node " + std::to_string(places.node(rank)) : machine.name);
  return names;
}

Trace Predictor::trace_of(const Predicted& predicted, const Scenario& scenario) const {
  const std::string& machine = scenario.machine.name;
  Trace run =
      retimed(Trace(trace_), predicted.run.times,
              {"predicted", Gravity::Info, 1, "this run was not recorded: it was predicted for " + machine});
  return with_property(moved(std::move(run), nodes(scenario)), waitprof::schema::kPredictedFor, machine);
}

}  // namespace waitdiag

// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/scaling/rescaling/predict_rescaled.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <set>

#include "analyzer/scaling/laws/profiles.hpp"
#include "analyzer/scaling/rescaling/drawn_runs.hpp"
#include "analyzer/scaling/rescaling/expected_cost.hpp"
#include "analyzer/scaling/rescaling/expected_error.hpp"
#include "analyzer/scaling/rescaling/held_out_runs.hpp"
#include "analyzer/scaling/rescaling/message_sizes.hpp"
#include "analyzer/scaling/rescaling/repeats.hpp"
#include "analyzer/scaling/rescaling/scenarios.hpp"
#include "analyzer/scaling/rescaling/shared_ports.hpp"
#include "analyzer/scaling/rescaling/single_uses.hpp"
#include "analyzer/scaling/sequences/grids.hpp"
#include "analyzer/simulation/prediction/prediction_report.hpp"
#include "analyzer/simulation/prediction/steady_state.hpp"
#include "analyzer/trace/model/trace_error.hpp"
#include "analyzer/trace/parallel/parallel.hpp"
#include "analyzer/wording/sentences.hpp"

namespace waitdiag {
namespace {

PredictionReport::Recorded recorded_runs(const Trace& largest,
                                         const std::vector<RescalingReport::Source>& sources) {
  const PredictionReport::Figures figures = recorded_figures(largest);
  PredictionReport::Recorded recorded{.program = largest.facts().program,
                                      .computation_s = figures.computation_s,
                                      .communication_s = figures.communication_s};
  for (const RescalingReport::Source& run : sources) {
    recorded.ranks.push_back(run.ranks);
    recorded.runtimes_s.push_back(run.runtime_s);
  }
  return recorded;
}

// How much farther the target is from the largest run than that is from the one before, in doublings.
double distance(const std::vector<SizedRun>& runs, const RunSize& target) {
  const RunSize &last = runs.back().size, &before = runs[runs.size() - 2].size;
  const auto doublings = [](const RunSize& to, const RunSize& from) {
    double sum = std::abs(std::log2(static_cast<double>(to.ranks) / from.ranks));
    for (const auto& [name, value] : to.problem)
      if (from.problem.contains(name) && value > 0 && from.problem.at(name) > 0)
        sum += std::abs(std::log2(value / from.problem.at(name)));
    return sum;
  };
  const double step = doublings(last, before);
  return step > 0 ? std::max(1.0, doublings(target, last) / step) : 1;
}

// Of an average rank.
double share_in_calls(const PredictionReport::Figures& figures) {
  return figures.runtime_s > 0 ? figures.communication_s / figures.runtime_s : 0;
}

// How far off runs are if nothing but the time of their messages is predicted. Returns the sizes of these.
SentSizes replay_runs(const RescaleRequest& request, Scenarios& scenario, RescalingReport& report) {
  SentSizes sizes;
  for (const SizedRun& run : request.runs) {
    const Trace& trace = *run.source.trace;
    const Predicted replayed = Predictor(trace).predict(scenario(trace.ranks(), request.runs), false);
    const double starting = starting_s(trace), recorded = seconds(trace.end() - trace.begin()) - starting;
    const double time = predicted_figures(replayed).runtime_s - starting;
    report.replays.push_back({.run = source_facts(run),
                              .error = recorded > 0 ? time / recorded - 1 : 0,
                              .in_calls = share_in_calls(recorded_figures(trace))});
    sizes.add(replayed.run.sizes);
  }
  return sizes;
}

// Nothing in the machine says that its computation differs from that of the one where the runs were recorded.
bool computes_as_recorded(const Machine& machine) {
  return machine.compute_scale == 1 && machine.rank_scales.empty() && machine.call_path_scales.empty();
}

// Held-out runs show what a graph by chance lacks of the real one; each is one of few samples.
double error_of_draws(const RescalingReport& report, double spread) {
  if (spread == 0) return 0;
  constexpr double kDeviations = 3;
  return kDeviations * std::hypot(spread, typical_of(held_out_errors(report)));
}

// Run times of the predicted run on machines like the one of the prediction.
class OtherMachines {
 public:
  OtherMachines(const Trace& target, const Scenario& on)
      : on_(on),
        predictor_(target),
        prepared_(predictor_.prepare(there(on.machine))),
        starting_(starting_s(target)),
        found_(running(on.machine, &sizes_)) {}

  // If the machine is one of those that may have been recorded as well.
  RescalingReport::Deviation deviation(const RecordedMachine& machine) const {
    RescalingReport::Deviation squares;
    if (machine.spread) {
      const RescalingReport::Deviation open = of_spread(*machine.spread);
      squares = {open.shorter * open.shorter, open.longer * open.longer};
    }
    for (const Machine& other : machine.others) {
      const double change = change_on(other);
      (change < 0 ? squares.shorter : squares.longer) += change * change;
    }
    return {.shorter = std::sqrt(squares.shorter), .longer = std::sqrt(squares.longer)};
  }

  const SentSizes& sizes() const { return sizes_; }

  // Relative change of the run time for one of what messages cost: what hides behind computation, and what ranks wait because
  // others compute longer, does not count.
  double share_of_messages() const {
    constexpr double kDearer = 0.1;
    Machine dearer = on_.machine;
    for (MachineLevel& level : dearer.levels)
      scale_costs(level, [](std::uint64_t) { return CostFactors{std::exp(kDearer), std::exp(kDearer)}; });
    return std::clamp(change_on(dearer) / kDearer, 0.0, 1.0);
  }

  // Of the logarithm of the run time.
  double change_on(const Machine& machine) const {
    const double factor = found_ > 0 ? running(machine) / found_ : 1;
    return factor > 0 ? std::log(factor) : 0;
  }

 private:
  // One standard deviation of what changes this run most.
  RescalingReport::Deviation of_spread(const MachineSpread& spread) const {
    constexpr double kStep = 0.1, kPart = 0.25;
    MachineSpread::Steps gradient(spread.parameters(), 0);
    for_each_index(gradient.size(), [&](std::size_t i) {
      if (spread.matters(i, sizes_)) gradient[i] = change_on(spread.moved(i, kStep)) / kStep;
    });
    // A part of the way: what runs only show the sum of stays about the same sum.
    MachineSpread::Steps by = spread.deviation(gradient);
    RescalingReport::Deviation deviation;
    for (const double part : {kPart, -kPart}) {
      MachineSpread::Steps some = by;
      for (double& step : some) step *= part;
      const double change = change_on(spread.moved(some)) / kPart;
      deviation.longer = std::max(deviation.longer, change);
      deviation.shorter = std::max(deviation.shorter, -change);
    }
    return deviation;
  }
  Scenario there(const Machine& machine) const {
    return {.machine = machine, .cores = on_.cores, .recorded_places = on_.recorded_places};
  }
  double running(const Machine& machine, SentSizes* sizes = nullptr) const {
    const Predicted predicted = predictor_.predict(prepared_, there(machine), false);
    if (sizes != nullptr) *sizes = predicted.run.sizes;
    return predicted_figures(predicted).runtime_s - starting_;
  }

  const Scenario& on_;
  Predictor predictor_;
  Prepared prepared_;
  SentSizes sizes_{};
  double starting_, found_;
};

// How many times as long the recorded runs may have taken because ranks took turns on processors: whether those of the
// predicted run have one each is not known.
double longer_by_turns(const RescalingReport& report) {
  const RescalingReport::Source* const run = report.most_shared();
  return run != nullptr ? run->ranks_per_processor : 1;
}

// `target`: the predicted run, of this `shape`, `on` which machine; `figures`: its figures; `spread`: of its draws; `facts`:
// what its rescaler says, such as the relative change of the run time by who gets which task.
void add_certainty(const RescaleRequest& request, Scenarios& scenario, const Scenario& on,
                   const Trace& target, const TargetShape& shape, const PredictionReport::Figures& figures,
                   double spread, const RescaleFacts& facts, RescalingReport& report) {
  if (request.runs.size() < 2) {
    report.no_range = "there is one run only, and nothing to hold out";
    return;
  }
  HeldOutRuns(request, scenario, shape).add_to(report);
  if (!report.held_out) return;
  report.machine_named = request.machine_measured;
  SentSizes recorded;
  if (request.where_recorded || (request.machine_measured && computes_as_recorded(on.machine)))
    recorded = replay_runs(request, scenario, report);
  const RecordedMachine* const found = request.where_recorded ? scenario.machine() : nullptr;
  report.sizes_known = found != nullptr && found->sizes_known;
  const double in_calls = share_in_calls(figures);
  double communication = in_calls;
  const auto most_ranks = static_cast<std::size_t>(request.runs.back().size.ranks);
  const double more_sharing =
      std::max(facts.larger_groups, more_on_a_port(on.machine, most_ranks, target.ranks()));
  const bool asked = may_matter(report, communication, more_sharing);
  if (asked || request.where_recorded) {
    const OtherMachines others(target, on);
    if (request.where_recorded) report.outside = outside_recorded(recorded, others.sizes());
    if (asked) communication = std::min(communication, others.share_of_messages());
    if (found != nullptr) report.machine_deviation = others.deviation(*found);
    if (found != nullptr && found->dearest) report.hidden = std::max(0.0, others.change_on(*found->dearest));
    if (found != nullptr && found->narrowest)
      report.unseen_port = std::max(0.0, others.change_on(*found->narrowest));
  }
  // Time that does not depend on the size of the program.
  const double starting = starting_s(target), runtime_s = figures.runtime_s;
  const double draws = error_of_draws(report, spread) + facts.dealt_spread;
  const auto [shorter, longer] =
      expected_error(report, distance(request.runs, request.target), communication, more_sharing, in_calls);
  report.range.low_s =
      starting + (runtime_s - starting) * std::exp(-shorter - draws) / longer_by_turns(report);
  report.range.high_s = starting + (runtime_s - starting) * std::exp(longer + draws);
}

std::uint64_t received_from_any(const Trace& trace) {
  std::uint64_t count = 0;
  for (const Timeline& timeline : trace.timelines())
    count += static_cast<std::uint64_t>(std::ranges::count_if(timeline.receives(), &MessageEnd::any_source));
  return count;
}

// Few ranks may have fewer neighbours, or children in a tree, than ranks of any larger run: where no rules hold in all runs,
// the smallest ones are left out, as long as three sizes remain. Partners are drawn where that does not help either.
// `left_out`: how many runs.
std::unique_ptr<Rescaler> rescaler_of(RescaleRequest& request, std::uint64_t& left_out) {
  std::vector<SizedRun> runs = request.runs, of_drawn;
  std::unique_ptr<Rescaler> drawn;
  std::optional<TraceError> why;
  constexpr std::size_t kFewestSizes = 3;
  const auto found = [&](std::unique_ptr<Rescaler> rescaler, std::vector<SizedRun> of) {
    left_out = request.runs.size() - of.size();
    request.runs = std::move(of);
    return rescaler;
  };
  for (bool first = true;; first = false) {
    std::set<int> sizes;
    for (const SizedRun& run : runs) sizes.insert(run.size.ranks);
    if (!first && sizes.size() < kFewestSizes) break;
    try {
      auto rescaler = std::make_unique<Rescaler>(runs, request.target, request.grid);
      if (rescaler->facts().drawn == 0) return found(std::move(rescaler), std::move(runs));
      if (!drawn) {
        drawn = std::move(rescaler);
        of_drawn = runs;
      }
    } catch (const TraceError& error) {
      if (!why) why = error;
    }
    std::erase_if(runs, [&](const SizedRun& run) { return run.size.ranks == *sizes.begin(); });
  }
  if (!drawn) throw TraceError(*why);
  return found(std::move(drawn), std::move(of_drawn));
}

// Grids that the runs do not tell from the one in use may be those of the program: the range holds these runs as well.
void add_other_grids(const RescaleRequest& request, const RescaleFacts& facts, const Scenario& scenario,
                     double runtime_s, RescalingReport& report) {
  const RescalingReport::Range as_sure = report.range;
  for (const OtherGrid& other : facts.other_grids) {
    try {
      Rescaler rescaler(request.runs, request.target, other.extents, facts.calls_as);
      const SteadyRun run = draw_and_replay(rescaler, scenario, request.all_iterations).run;
      const double other_s = predicted_figures(run.predicted).runtime_s;
      report.other_grids.push_back({extents_text(other.used), extents_text(other.extents), other_s,
                                    static_cast<std::uint64_t>(other.ranks_to_record)});
      report.range.low_s = std::min(report.range.low_s, as_sure.low_s * other_s / runtime_s);
      report.range.high_s = std::max(report.range.high_s, as_sure.high_s * other_s / runtime_s);
    } catch (const TraceError&) {  // then the program has no such grid
    }
  }
}

}  // namespace

RescaledPrediction predict_rescaled(const RescaleRequest& asked) {
  RescaleRequest request = asked;
  Scenarios scenario(request.scenario);
  sort_by_size(request.runs);
  const Repeats repeats = keep_fastest(request.runs);
  check_is_larger(request.runs, request.target);
  check_cost(request.runs, request.target, request.all_iterations);
  std::deque<Trace> own;
  if (request.where_recorded || request.machine_measured) tell_single_uses(request.runs, scenario, own);
  std::uint64_t too_small = 0;
  const std::unique_ptr<Rescaler> found = rescaler_of(request, too_small);
  Rescaler& rescaler = *found;
  RescaledPrediction result{.scenario =
                                scenario(static_cast<std::size_t>(request.target.ranks), request.runs)};
  const Drawn drawn = draw_and_replay(rescaler, result.scenario, request.all_iterations);
  const SteadyRun& steady = drawn.run;
  result.run = steady.run;
  result.before = steady.before;
  result.report = make_prediction_report(*steady.run, result.scenario, steady.predicted);
  result.report.steady = steady.facts;
  if (rescaler.facts().dealt_tasks > 0)
    result.report.approximations.push_back({"dealt_tasks",
                                            "tasks are dealt to whoever is free first, and take as long as "
                                            "those of the largest run did, in the order "
                                            "in which they are dealt",
                                            static_cast<std::uint64_t>(rescaler.facts().dealt_tasks),
                                            {}});
  if (too_small > 0)
    result.report.approximations.push_back(
        {"runs_too_small",
         fmt::format("the smallest runs are left out: with fewer than {} ranks the program does not make the "
                     "same calls by the same rules as with more",
                     request.runs.front().size.ranks),
         too_small,
         {}});
  if (rescaler.facts().from_any_source) {
    std::erase_if(result.report.approximations,
                  [](const PredictionReport::Approximation& one) { return one.id == "any_source"; });
    result.report.approximations.push_back({"ordered_receives",
                                            "receives from any source get their messages in the order in "
                                            "which these are sent in earlier replays",
                                            received_from_any(*request.runs.back().source.trace),
                                            {}});
  }
  if (rescaler.facts().drawn > 0)
    result.report.approximations.push_back(
        {"drawn_partners",
         fmt::format("no rule gives the partners of these messages: they are "
                     "drawn by chance, as many and as far away as in the "
                     "runs; of {} draws this is the median",
                     kPartnerDraws),
         rescaler.facts().drawn,
         {}});
  RescalingReport& report = result.report.rescaling.emplace();
  for (const SizedRun& run : request.runs) report.sources.push_back(source_facts(run));
  result.report.recorded = recorded_runs(*request.runs.back().source.trace, report.sources);
  report.repeats = repeats.left_out;
  report.repeats_longer = repeats.longer;
  report.ranks = static_cast<std::uint64_t>(request.target.ranks);
  report.problem = problem_text(request.target);
  report.grids = rescaler.facts().grids;
  report.inexact_sizes = rescaler.facts().inexact_sizes;
  for (const Computation::ModelOf& model : rescaler.facts().models)
    report.models.push_back({model.call_path, model.text, model.share, model.left_out});
  add_certainty(request, scenario, result.scenario, *result.run, shape_of(rescaler.facts(), result.report),
                result.report.predicted, drawn.spread, rescaler.facts(), report);
  add_other_grids(request, rescaler.facts(), result.scenario, result.report.predicted.runtime_s, report);
  result.report.verdict = prediction_verdict(result.report);
  if (const RecordedMachine* const machine = scenario.machine()) result.machine = *machine;
  return result;
}

}  // namespace waitdiag

// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/scaling/rescaling/held_out_runs.hpp"

#include <algorithm>
#include <iterator>

#include "analyzer/scaling/laws/profiles.hpp"
#include "analyzer/scaling/rescaling/drawn_runs.hpp"
#include "analyzer/scaling/rescaling/shared_processors.hpp"
#include "analyzer/scaling/sequences/grids.hpp"
#include "analyzer/simulation/prediction/prediction_report.hpp"
#include "analyzer/trace/model/trace_error.hpp"

namespace waitdiag {
namespace {

std::vector<SizedRun> all_but(const std::vector<SizedRun>& runs, std::size_t one) {
  std::vector<SizedRun> others = runs;
  others.erase(others.begin() + static_cast<std::ptrdiff_t>(one));
  return others;
}

}  // namespace

RescalingReport::Source source_facts(const SizedRun& run) {
  const Trace& trace = *run.source.trace;
  return {run.source.name, problem_text(run.size), trace.ranks(), seconds(trace.end() - trace.begin()),
          ranks_per_processor(trace)};
}

TargetShape shape_of(const RescaleFacts& facts, const PredictionReport& report) {
  constexpr double kAlike = 0.02;
  double sum = 0, most = 0;
  for (const auto& rank : report.by_rank) {
    sum += rank.computation_s;
    most = std::max(most, rank.computation_s);
  }
  return {facts.beyond, most * static_cast<double>(report.by_rank.size()) <= (1 + kAlike) * sum,
          facts.calls_as};
}

// A prediction may grow along several dimensions, and each held-out run along one of them.
bool HeldOutRuns::grows_likewise(const RescaleFacts& facts) const {
  return target_.ranks_alike || std::ranges::includes(facts.beyond, target_.beyond) ||
         std::ranges::any_of(facts.beyond,
                             [&](const auto& dimension) { return untried_.contains(dimension); });
}

RescalingReport::HeldOut HeldOutRuns::hold_out(const SizedRun& run, const std::vector<SizedRun>& others) {
  // Where the user has to give the grid of the target, the grid of this run is known too.
  Rescaler rescaler(others, run.size,
                    request_.grid.empty() ? std::vector<int>() : recorded_extents(*run.source.trace),
                    target_.calls_as);
  beyond_ = rescaler.facts().beyond;
  const Scenario same = scenarios_(run.source.trace->ranks(), request_.runs);
  RescalingReport::HeldOut held{.run = source_facts(run),
                                .from_runs = others.size(),
                                .grows_likewise = grows_likewise(rescaler.facts())};
  held.predicted_s = running_s(draw_and_replay(rescaler, same, request_.all_iterations).run);
  const Predictor recorded(*run.source.trace);
  const Predicted replayed = recorded.predict(same, true);
  held.replayed_s = predicted_figures(replayed).runtime_s - starting_s(recorded.trace_of(replayed, same));
  held.recorded_s = held.run.runtime_s - starting_s(*run.source.trace);
  held.where_recorded = request_.where_recorded;
  const double truth = held.where_recorded ? held.recorded_s : held.replayed_s;
  held.error = truth > 0 ? held.predicted_s / truth - 1 : 0;
  return held;
}

// The largest run that the others can predict: a program may do something of its own with some numbers of ranks. Nothing,
// and `why`: none.
std::optional<RescalingReport::HeldOut> HeldOutRuns::largest(std::string& why) {
  for (std::size_t at = request_.runs.size(); at-- > 1;) {
    const std::vector<SizedRun> others = all_but(request_.runs, at);
    try {
      RescalingReport::HeldOut held = hold_out(request_.runs[at], others);
      std::ranges::set_difference(target_.beyond, beyond_, std::inserter(untried_, untried_.end()));
      return held;
    } catch (const TraceError& error) {
      if (why.empty())
        why = std::string("the largest run cannot be predicted from the others (") + error.what() + ")";
    }
  }
  if (request_.runs.size() == 2)
    why = "of two runs one would be left to predict the larger one from; add a third of another size";
  return std::nullopt;
}

// Smaller runs as well, predicted from even smaller ones, to see whether the error grows.
void HeldOutRuns::add_smaller_ones(RescalingReport& report) {
  constexpr std::size_t kFewest = 3;  // with two runs, only one would be left to predict the other from
  for (std::size_t count = kFewest; count < request_.runs.size(); ++count) {
    const std::span<const SizedRun> others = std::span(request_.runs).first(count - 1);
    try {
      report.held_out_before.push_back(hold_out(request_.runs[count - 1], {others.begin(), others.end()}));
    } catch (const TraceError&) {  // too few to find all laws: the larger runs must do
    }
  }
}

// Each run that is neither the smallest nor the largest one: where it takes the largest run to tell the laws, holding that
// one out says more about the smaller runs than about the prediction. Only where the machine is measured: one that is found
// in the runs has errors of its own.
void HeldOutRuns::add_between(RescalingReport& report) {
  constexpr std::size_t kFewest = 4;  // any law fits two runs
  if (request_.runs.size() < kFewest || !request_.machine_measured) return;
  for (std::size_t held = 1; held + 1 < request_.runs.size(); ++held) {
    try {
      report.held_out_between.push_back(hold_out(request_.runs[held], all_but(request_.runs, held)));
    } catch (const TraceError&) {  // then nothing shows that the laws are known
      report.held_out_between.clear();
      return;
    }
  }
}

void HeldOutRuns::add_to(RescalingReport& report) {
  report.held_out = largest(report.no_range);
  if (!report.held_out) return;
  add_smaller_ones(report);
  add_between(report);
}

}  // namespace waitdiag

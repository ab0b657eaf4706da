// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/scaling/rescaling/drawn_runs.hpp"

#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "analyzer/scaling/laws/profiles.hpp"
#include "analyzer/simulation/prediction/prediction_report.hpp"

namespace waitdiag {
namespace {

// Replays a few iterations, or all.
SteadyRun replay_of(Rescaler& rescaler, const Scenario& scenario, bool all_iterations) {
  SteadyIterations facts{.iterations = rescaler.iterations(), .replayed = rescaler.iterations()};
  if (!all_iterations)
    if (std::optional<SteadyRun> few = predict_steady(rescaler, scenario, facts)) return std::move(*few);
  SteadyRun all{.facts = facts};
  const Trace program = rescaler.trace();
  const Predictor predictor(program);
  all.predicted = predictor.predict(scenario, true);
  all.run = std::make_shared<const Trace>(predictor.trace_of(all.predicted, scenario));
  return all;
}

}  // namespace

double running_s(const SteadyRun& run) {
  return predicted_figures(run.predicted).runtime_s - starting_s(*run.run);
}

Drawn draw_and_replay(Rescaler& rescaler, const Scenario& scenario, bool all_iterations) {
  if (rescaler.facts().drawn == 0) return {replay_of(rescaler, scenario, all_iterations)};
  std::vector<SteadyRun> runs;
  double sum = 0, squares = 0;
  for (int draw = 1; draw <= kPartnerDraws; ++draw) {
    if (draw > 1) rescaler.redraw(draw);
    runs.push_back(replay_of(rescaler, scenario, all_iterations));
    const double logarithm = std::log(running_s(runs.back()));
    sum += logarithm;
    squares += logarithm * logarithm;
  }
  std::ranges::stable_sort(runs, {}, running_s);
  const double variance = (squares - sum * sum / kPartnerDraws) / (kPartnerDraws - 1);
  return {std::move(runs[kPartnerDraws / 2]), std::sqrt(std::max(0.0, variance))};
}

}  // namespace waitdiag

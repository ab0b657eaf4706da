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
#include "analyzer/trace/derived/ordered_receives.hpp"

namespace waitdiag {
namespace {

// Receives from any source get the messages that come first. Which these are, a replay in another order tells, which may
// change when some are sent: it is replayed a few times.
Trace by_arrival(Trace program, const Scenario& scenario) {
  constexpr int kMostReplays = 3;
  for (int i = 0; i < kMostReplays; ++i) {
    const Predictor predictor(program);
    std::optional<Trace> ordered =
        with_receives_by_arrival(program, predictor.trace_of(predictor.predict(scenario, true), scenario));
    if (!ordered) break;
    program = std::move(*ordered);
  }
  return program;
}

class ReceivesByArrival : public IterationSource {
 public:
  ReceivesByArrival(Rescaler& rescaler, const Scenario& scenario)
      : rescaler_(rescaler), scenario_(scenario) {}
  std::uint32_t iterations() const override { return rescaler_.iterations(); }
  Trace shortened(std::uint32_t iterations) override {
    return by_arrival(rescaler_.shortened(iterations), scenario_);
  }
  LoopCalls last_calls(std::uint32_t iterations) const override { return rescaler_.last_calls(iterations); }
  double difference(std::uint32_t iterations, std::uint32_t period) const override {
    return rescaler_.difference(iterations, period);
  }

 private:
  Rescaler& rescaler_;
  const Scenario& scenario_;
};

// Replays a few iterations, or all.
SteadyRun replay_of(IterationSource& source, const Scenario& scenario, bool all_iterations) {
  SteadyIterations facts{.iterations = source.iterations(), .replayed = source.iterations()};
  if (!all_iterations)
    if (std::optional<SteadyRun> few = predict_steady(source, scenario, facts)) return std::move(*few);
  SteadyRun all{.facts = facts};
  const Trace program = source.shortened(0);
  const Predictor predictor(program);
  all.predicted = predictor.predict(scenario, true);
  all.run = std::make_shared<const Trace>(predictor.trace_of(all.predicted, scenario));
  return all;
}

SteadyRun replay_of(Rescaler& rescaler, const Scenario& scenario, bool all_iterations) {
  if (rescaler.facts().from_any_source) {
    ReceivesByArrival source(rescaler, scenario);
    return replay_of(source, scenario, all_iterations);
  }
  return replay_of(static_cast<IterationSource&>(rescaler), scenario, all_iterations);
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

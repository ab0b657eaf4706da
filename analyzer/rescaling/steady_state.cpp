// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/rescaling/steady_state.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace waitdiag {
namespace {

constexpr std::uint32_t kLengths = 4;  // of runs: three increments
constexpr double kStable = 1e-3;

struct ShortRun {
  std::shared_ptr<const Trace> program{};
  std::unique_ptr<Predictor> predictor{};
  Predicted predicted{};
};

ShortRun replay_of(Rescaler& rescaler, const Scenario& scenario, std::uint32_t iterations, bool keep_times) {
  ShortRun run{.program = std::make_shared<const Trace>(rescaler.trace(iterations))};
  run.predictor = std::make_unique<Predictor>(*run.program);
  run.predicted = run.predictor->predict(scenario, keep_times);
  return run;
}

SteadyRun finished(ShortRun run, const Scenario& scenario, const RescalingReport::Steady& steady) {
  SteadyRun result{.program = run.program, .steady = steady};
  result.run = std::make_shared<const Trace>(run.predictor->trace_of(run.predicted, scenario.machine.name));
  result.predicted = std::move(run.predicted);
  return result;
}

// The largest relative difference between the last three increments of the end of any rank.
double spread_of(const std::array<ShortRun, kLengths>& runs) {
  double largest = 0;
  for (std::size_t l = 0; l < runs[0].predicted.run.locations.size(); ++l) {
    std::array<double, kLengths - 1> increments{};
    for (std::size_t i = 0; i + 1 < kLengths; ++i)
      increments[i] = static_cast<double>(
          (runs[i + 1].predicted.run.locations[l].end - runs[i].predicted.run.locations[l].end).count());
    const auto [least, most] = std::minmax_element(increments.begin(), increments.end());
    if (*most > 0) largest = std::max(largest, (*most - *least) / *most);
  }
  return largest;
}

// `last` takes `times` more of what it takes longer than `before`.
void multiply_out(Predicted& last, const Predicted& before, std::uint32_t times) {
  const auto further = [times](auto& value, const auto& earlier) { value += (value - earlier) * times; };
  for (std::size_t l = 0; l < last.run.locations.size(); ++l) {
    Replayed::Location& one = last.run.locations[l];
    const Replayed::Location& earlier = before.run.locations[l];
    further(one.end, earlier.end);
    further(one.computation, earlier.computation);
    further(one.waiting, earlier.waiting);
    further(one.kept, earlier.kept);
    further(one.in_calls, earlier.in_calls);
  }
  further(last.run.end, before.run.end);
  further(last.run.messages, before.run.messages);
}

}  // namespace

SteadyRun predict_steady(Rescaler& rescaler, const Scenario& scenario, bool all_iterations) {
  const std::uint32_t all = rescaler.facts().iterations;
  constexpr std::uint32_t kFirst = 8;
  for (std::uint32_t some = kFirst; !all_iterations && scenario.removed_waits.empty() && some < all;
       some *= 2) {
    if (!rescaler.steady(some, kStable)) continue;
    std::array<ShortRun, kLengths> runs;
    for (std::uint32_t i = 0; i < kLengths; ++i)
      runs[i] = replay_of(rescaler, scenario, some - (kLengths - 1) + i, i + 1 == kLengths);
    RescalingReport::Steady steady{.iterations = all, .replayed = some, .spread = spread_of(runs)};
    if (steady.spread > kStable) continue;
    const Predicted before = std::move(runs[kLengths - 2].predicted);
    SteadyRun result = finished(std::move(runs.back()), scenario, steady);
    result.steady.increment_s = seconds(result.predicted.run.end - before.run.end);
    multiply_out(result.predicted, before, all - some);
    return result;
  }
  return finished(replay_of(rescaler, scenario, 0, true), scenario, {.iterations = all, .replayed = all});
}

}  // namespace waitdiag

// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/simulation/prediction/steady_state.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <map>

namespace waitdiag {
namespace {

constexpr std::uint32_t kLengths = kMeasuredPeriods + 1;  // of runs
constexpr std::uint32_t kFirst = 8;                       // iterations, with periods of one
constexpr double kStable = 1e-3;

using Outcome = SteadyIterations::Outcome;

struct ShortRun {
  std::unique_ptr<const Trace> program{};
  std::unique_ptr<Predictor> predictor{};
  LoopCalls last_calls{};
  Predicted predicted{};
  std::size_t loops(std::size_t location) const { return last_calls[location].size(); }
  Time left(std::size_t location, std::size_t loop) const {
    // There are ranks without any call.
    const std::vector<Time>& leave = predicted.run.times[location].leave;
    const std::size_t call = last_calls[location][loop];
    return call < leave.size() ? leave[call] : predicted.run.locations[location].end;
  }
  // The loop that a call is in, or that follows it; loops(): neither.
  std::size_t loop_of(std::size_t location, std::uint32_t call) const {
    const std::vector<std::uint32_t>& ends = last_calls[location];
    return static_cast<std::size_t>(std::ranges::lower_bound(ends, call) - ends.begin());
  }
};
using ShortRuns = std::array<ShortRun, kLengths>;

ShortRun replay_of(IterationSource& source, const Scenario& scenario, std::uint32_t iterations) {
  ShortRun run{.program = std::make_unique<const Trace>(source.shortened(iterations)),
               .last_calls = source.last_calls(iterations)};
  run.predictor = std::make_unique<Predictor>(*run.program);
  run.predicted = run.predictor->predict(scenario, true);
  return run;
}

std::shared_ptr<const Trace> trace_of(const ShortRun& run, const Scenario& scenario) {
  return std::make_shared<const Trace>(run.predictor->trace_of(run.predicted, scenario));
}

double nanoseconds(Duration time) {
  return static_cast<double>(time.count());
}

// Over the three periods together: of the run, and of the time until a rank leaves a loop.
double increment(const ShortRuns& runs) {
  return nanoseconds(runs.back().predicted.run.end - runs.front().predicted.run.end);
}
double increment(const ShortRuns& runs, std::size_t location, std::size_t loop) {
  return nanoseconds(runs.back().left(location, loop) - runs.front().left(location, loop));
}

// How much the three periods differ, relative: in the times at which any rank leaves the loop and ends, and
// in its waiting.
double spread_of(const ShortRuns& runs) {
  double largest = 0;
  const auto look = [&](const auto& figure_of) {
    std::array<double, kMeasuredPeriods> increments{};
    for (std::size_t i = 0; i < kMeasuredPeriods; ++i)
      increments[i] = nanoseconds(figure_of(runs[i + 1]) - figure_of(runs[i]));
    const auto [least, most] = std::minmax_element(increments.begin(), increments.end());
    largest = std::max(largest, *most - *least);
  };
  for (std::size_t l = 0; l < runs[0].last_calls.size(); ++l) {
    look([l](const ShortRun& run) { return run.predicted.run.locations[l].end; });
    look([l](const ShortRun& run) { return run.predicted.run.locations[l].waiting; });
    for (std::size_t i = 0; i < runs[0].loops(l); ++i)
      look([&](const ShortRun& run) { return run.left(l, i); });
  }
  return increment(runs) > 0 ? largest * kMeasuredPeriods / increment(runs) : 1;
}

// A rank that receives messages in a loop from a slower rank without waiting still has a lead that will be
// used up; so does one that sends to a slower rank that has to take part.
bool lead_shrinks(const ShortRuns& runs, const Machine& machine) {
  const ShortRun& last = runs.back();
  const SyncPoints sync = match(*last.program);
  const double much = kStable * increment(runs);
  return std::ranges::any_of(sync.messages, [&](const Message& message) {
    const MessageEnd& sent = send_end(*last.program, message);
    const std::size_t from = index(message.sender), to = index(message.receiver);
    const std::size_t there = last.loop_of(from, sent.posted);
    const std::size_t here = last.loop_of(to, receive_end(*last.program, message).posted);
    if (there == last.loops(from) || here == last.loops(to)) return false;
    const double growth = increment(runs, to, here) - increment(runs, from, there);
    const SendMode mode =
        last.program->region(last.program->timeline(message.sender).call_path(sent.posted)).mode;
    const bool together =
        mode == SendMode::Synchronous || (mode != SendMode::Buffered && sent.bytes > machine.detached_bytes);
    return -growth > much || (together && growth > much);
  });
}

// How often the three measured periods have to be repeated.
double repetitions(const SteadyIterations& facts) {
  return static_cast<double>(facts.iterations - facts.replayed) / (kMeasuredPeriods * facts.period);
}

// A rank that goes through the loop more slowly than the others, but has not been last yet, would be last
// eventually.
bool overtakes(const ShortRuns& runs, const SteadyIterations& facts) {
  const ShortRun& last = runs.back();
  double latest = 0, latest_of_all = 0;
  for (std::size_t l = 0; l < last.last_calls.size(); ++l) {
    if (last.loops(l) == 0) continue;
    const std::size_t loop = last.loops(l) - 1;
    const double left = nanoseconds(last.left(l, loop) - last.predicted.run.begin);
    latest = std::max(latest, left);
    latest_of_all = std::max(latest_of_all, left + increment(runs, l, loop) * repetitions(facts));
  }
  return latest_of_all - latest > increment(runs) * repetitions(facts) * (1 + kStable);
}

// Adds to `last`, `times` times, what it takes longer than `before`.
void multiply_out(Predicted& last, const Predicted& before, double times) {
  const auto count = [times](auto& value, const auto& earlier) {
    const double more = static_cast<double>(value) - static_cast<double>(earlier);
    value += static_cast<std::remove_reference_t<decltype(value)>>(std::max(0.0, more * times) + 0.5);
  };
  const auto further = [times](auto& value, const auto& earlier) {
    value += Duration(std::llround(static_cast<double>((value - earlier).count()) * times));
  };
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
  count(last.run.messages, before.run.messages);
  Approximations all;
  for (Approximation one : last.approximations.all()) {
    for (const Approximation& earlier : before.approximations.all()) {
      if (earlier.id != one.id) continue;
      count(one.count, earlier.count);
      further(one.time, earlier.time);
    }
    all.add(one.id, one.text, one.count, one.time);
  }
  last.approximations = all;
}

std::optional<ShortRuns> replay_some(IterationSource& source, const Scenario& scenario,
                                     SteadyIterations& facts) {
  ShortRuns runs;
  for (std::uint32_t i = 0; i < kLengths; ++i)
    runs[i] = replay_of(source, scenario, facts.replayed - (kMeasuredPeriods - i) * facts.period);
  facts.spread = spread_of(runs);
  if (facts.spread > kStable || lead_shrinks(runs, scenario.machine) || overtakes(runs, facts))
    return std::nullopt;
  return runs;
}

}  // namespace

std::optional<SteadyRun> predict_steady(IterationSource& source, const Scenario& scenario,
                                        SteadyIterations& facts) {
  facts = {.iterations = source.iterations(), .replayed = source.iterations()};
  // The waits to be removed have to be searched for in the whole run, and repairs are of all of it.
  if (!scenario.removed_waits.empty() || !scenario.repairs.empty()) return std::nullopt;
  // All attempts together must not take longer than replaying all iterations.
  for (std::uint32_t some = kFirst;
       some == kFirst ? some < facts.iterations : some <= facts.iterations / kFirst; some *= 2) {
    SteadyIterations tried{.iterations = facts.iterations, .replayed = some, .period = some / kFirst};
    tried.difference = facts.difference = source.difference(some, tried.period);
    facts.outcome = Outcome::Differing;
    if (tried.difference > kStable) continue;
    facts.outcome = Outcome::Unsteady;
    std::optional<ShortRuns> runs = replay_some(source, scenario, tried);
    facts.spread = tried.spread;
    if (!runs) continue;
    ShortRun &last = runs->back(), &before = runs->front();
    tried.outcome = Outcome::MultipliedOut;
    tried.increment_s =
        seconds(last.predicted.run.end - before.predicted.run.end) / (kMeasuredPeriods * tried.period);
    facts = tried;
    SteadyRun result{.run = trace_of(last, scenario), .before = trace_of(before, scenario), .facts = tried};
    result.predicted = std::move(last.predicted);
    multiply_out(result.predicted, before.predicted, repetitions(tried));
    return result;
  }
  return std::nullopt;
}

std::vector<PredictionReport::PathEntry> path_entries(const PredictedPath& path, const Trace* before,
                                                      const SteadyIterations& facts,
                                                      const Scenario& scenario) {
  std::vector<PredictionReport::PathEntry> entries = path.entries();
  if (before == nullptr) return entries;
  std::map<std::string, double> earlier;
  const PredictedPath path_before(*before, scenario);
  for (const PredictionReport::PathEntry& entry : path_before.entries())
    earlier[entry.call_path] = entry.seconds;
  for (PredictionReport::PathEntry& entry : entries)
    entry.seconds =
        std::max(0.0, entry.seconds + (entry.seconds - earlier[entry.call_path]) * repetitions(facts));
  std::ranges::stable_sort(entries, std::greater<>(), &PredictionReport::PathEntry::seconds);
  return entries;
}

}  // namespace waitdiag

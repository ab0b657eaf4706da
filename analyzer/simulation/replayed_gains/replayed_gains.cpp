// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/simulation/replayed_gains/replayed_gains.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>

#include "analyzer/simulation/recorded_machine/places.hpp"
#include "analyzer/simulation/recorded_machine/recorded_machine.hpp"
#include "analyzer/simulation/replay/calls_and_messages.hpp"
#include "analyzer/simulation/replay/replay.hpp"
#include "analyzer/trace/sync/polling.hpp"

namespace waitdiag {
namespace {

// Waiting in calls whose time a replay takes from the recording.
struct KeptWaiting {
  double all = 0, kept = 0;  // nanoseconds: all waits, and those in such calls
  std::vector<double> by_pattern = std::vector<double>(wait_patterns().size());  // of `kept`

  double share() const { return all > 0 ? kept / all : 0; }
  std::string largest_patterns() const;
};

std::string KeptWaiting::largest_patterns() const {
  constexpr std::size_t kMost = 3;
  std::vector<std::size_t> order(by_pattern.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, std::greater<>(), [&](std::size_t id) { return by_pattern[id]; });
  std::string names;
  for (const std::size_t id : std::span(order).first(kMost))
    if (by_pattern[id] > 0) names += (names.empty() ? "" : ", ") + std::string(pattern(PatternId(id)).title);
  return names;
}

KeptWaiting kept_waiting(const Program& program, const WaitStates& states) {
  KeptWaiting result;
  for (std::uint32_t l = 0; l < program.steps.size(); ++l) {
    auto step = program.steps[l].begin();
    const auto end = program.steps[l].end();
    std::uint32_t calls = 0;
    for (const WaitState& state : states.waits_of(Location(l))) {  // by operation
      for (; step != end && calls <= state.victim.op; ++step) calls += step->what() == Step::Do::Call;
      const auto wait = static_cast<double>(state.wait.count());
      result.all += wait;
      if (step == end || step->what() != Step::Do::Keep) continue;
      result.kept += wait;
      result.by_pattern[static_cast<std::size_t>(state.pattern)] += wait;
    }
  }
  return result;
}

// The share of the waiting that ends when another process is in MPI again: the replay moves data at any time.
double waiting_for_progress(const WaitStates& states) {
  double all = 0, for_progress = 0;
  for (const WaitState& state : states.waits) {
    const auto wait = static_cast<double>(state.wait.count());
    all += wait;
    for_progress += pattern(state.pattern).waits_for == WaitsFor::Progress ? wait : 0;
  }
  return all > 0 ? for_progress / all : 0;
}

// The share of the waiting that is none in the replay of the unchanged run: there, messages seem slow instead.
double missed_waiting(const Replayed& unchanged, const WaitStates& states) {
  double all = 0, missed = 0;
  for (std::uint32_t l = 0; l < unchanged.locations.size(); ++l) {
    double waited = 0;
    for (const WaitState& state : states.waits_of(Location(l)))
      waited += static_cast<double>(state.wait.count());
    all += waited;
    missed += std::max(0.0, waited - static_cast<double>(unchanged.locations[l].waiting.count()));
  }
  return all > 0 ? missed / all : 0;
}

// Nanoseconds, behind what the calls waited for.
double lost_in_calls(const Trace& trace, const StalledCalls& stalled) {
  double lost = 0;
  for (std::uint32_t l = 0; l < trace.timelines().size(); ++l) {
    const auto calls = static_cast<std::uint32_t>(trace.timelines()[l].size());
    lost += static_cast<double>(stalled.sum(Location(l), 0, calls).taken.count());
  }
  return lost;
}

}  // namespace

bool knows_messages(const RecordedMachineReport& machine) {
  using Level = RecordedMachineReport::Level;
  const auto most = std::ranges::max_element(machine.levels, {}, &Level::messages);
  return most == machine.levels.end() || most->messages == 0 || most->latency_error < Level::kKnown ||
         most->bandwidth_error < Level::kKnown;
}

std::uint64_t replay_work(const Trace& trace) {
  constexpr std::uint64_t kOftenForBlocks = 20;
  const Trace* const run = &trace;
  const bool in_blocks = trace.ranks() > 2 && places_of(std::span(&run, 1)).one_rank_per_node;
  return (in_blocks ? kOftenForBlocks : 1) * calls_and_messages(trace);
}

// Of threads of a rank for each other, or until they are told to end: a replay leaves it as long as it was. That a thread
// is not there yet is none.
double waiting_for_threads(const Trace& trace, const SyncPoints& sync) {
  double all = 0;
  for (const ThreadNeed& need : sync.thread_needs)
    if (trace.region(trace.call_path(need.call)).library || is_poll(trace.kind(need.call)))
      all += static_cast<double>((trace.leave(need.call) - trace.enter(need.call)).count());
  return all;
}

GapTimes gaps_without(const Trace& trace, const Change& change) {
  GapTimes gaps = recorded_gaps(trace);
  const std::vector<std::vector<Saving>>& savings = timed(change);
  for (std::size_t l = 0; l < savings.size(); ++l)
    for (const Saving& saving : savings[l])
      gaps[l][saving.op] = std::max<std::int64_t>(0, gaps[l][saving.op] - saving.time.count());
  return gaps;
}

ReplayedGains replayed_gains(const Trace& trace, const SyncPoints& sync, const WaitStates& states,
                             std::span<const Change> changes, const StalledCalls& stalled,
                             bool with_assumed_messages) {
  ReplayedGains gains;
  Program program = make_program(trace, sync, recorded_gaps(trace));
  const KeptWaiting kept = kept_waiting(program, states);
  const double for_threads = waiting_for_threads(trace, sync);
  if (for_threads > ReplayedGains::kMostKeptWaiting * (kept.all + for_threads)) {
    gains.refused = fmt::format("{:.0f} % of the waiting was of threads of a rank for each other",
                                100 * for_threads / (kept.all + for_threads));
    return gains;
  }
  if (kept.share() > ReplayedGains::kMostKeptWaiting) {
    gains.refused = fmt::format("a replay would leave {:.0f} % of the waiting as long as it was ({})",
                                100 * kept.share(), kept.largest_patterns());
    return gains;
  }
  if (const double share = waiting_for_progress(states); share > ReplayedGains::kMostKeptWaiting) {
    gains.refused = fmt::format(
        "{:.0f} % of the waiting was for data that moves only while its owner is in MPI", 100 * share);
    return gains;
  }
  if (const double lost = lost_in_calls(trace, stalled); lost > ReplayedGains::kMostLost * kept.all) {
    gains.refused = fmt::format("ranks lost their processors in MPI calls for {:.3g} s, and waited {:.3g} s",
                                1e-9 * lost, 1e-9 * kept.all);
    return gains;
  }
  const RunOfMachine run{.trace = &trace, .name = "run", .sync = &sync};
  const RecordedMachine recorded = find_recorded_machine(std::span(&run, 1));
  if (recorded.report.fitted_calls < ReplayedGains::kFewestCalls) {
    gains.refused = fmt::format("only {} calls tell what the machine was like", recorded.report.fitted_calls);
    return gains;
  }
  const Placement placement(recorded.machine, recorded.cores);
  const CollectiveTable collectives = find_collectives(recorded.machine.collectives);
  const auto replayed = [&](const Program& changed) {
    return replay(changed, {recorded.machine, placement, collectives}, false);
  };
  const Duration measured = trace.end() - trace.begin();
  const Replayed unchanged = replayed(program);
  program = {};
  if (!unchanged.cycle.empty()) {
    gains.refused = "the replay of the unchanged run cannot finish";
    return gains;
  }
  const Duration unchanged_runtime = unchanged.end - unchanged.begin;
  gains.error = seconds(unchanged_runtime) / seconds(measured) - 1;
  if (std::abs(gains.error) > ReplayedGains::kClose) {
    gains.refused = fmt::format("the replay of the unchanged run is off by {:+.1f} %", 100 * gains.error);
    return gains;
  }
  const double missed = missed_waiting(unchanged, states);
  if (missed > ReplayedGains::kMostMissedWaiting) {
    gains.refused =
        fmt::format("in the replay of the unchanged run {:.0f} % of the waiting is missing", 100 * missed);
    return gains;
  }
  if (!with_assumed_messages && !knows_messages(recorded.report)) {
    gains.refused = "the run does not tell how long its messages take";
    return gains;
  }
  // Errors of the replay of the unchanged run affect the changed run as well.
  for (const Change& change : changes) {
    std::optional<Duration>& without = gains.runtime.emplace_back();
    if (!of_computation_only(change) || change.in_any_order) continue;
    if (const Replayed run_without = replayed(make_program(trace, sync, gaps_without(trace, change)));
        run_without.cycle.empty())
      without = run_without.end - run_without.begin + measured - unchanged_runtime;
  }
  return gains;
}

}  // namespace waitdiag

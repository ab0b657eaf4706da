// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/simulation/prediction/removed_waits.hpp"

#include <algorithm>
#include <map>

#include "analyzer/diagnosis/retiming/retime.hpp"
#include "analyzer/trace/model/mpi_calls.hpp"

namespace waitdiag {
namespace {

void count_removed(const WaitStates& states, std::span<const PatternId> patterns, Predicted& predicted) {
  std::uint64_t count = 0;
  Duration time{};
  for (const WaitState& wait : states.waits) {
    if (std::ranges::find(patterns, wait.pattern) == patterns.end()) continue;
    ++count;
    time += wait.wait;
  }
  predicted.approximations.add("removed_waits",
                               "waits of the predicted run that were removed: data is received before it is "
                               "sent, so this is the most that their repair can bring",
                               count, time);
}

// What `repairs` take from calls, but no more than these take by themselves in the predicted run.
Change savings_in_calls(const Dependencies& dependencies, std::size_t locations,
                        std::span<const Repair> repairs) {
  Change change;
  change.savings.resize(locations);
  for (std::uint32_t l = 0; l < locations; ++l) {
    std::map<std::uint32_t, Duration> by_op;
    for (const Repair& repair : repairs)
      if (l < repair.change->savings.size())
        for (const Saving& saving : repair.change->savings[l])
          if (saving.in_call) by_op[saving.op] += saving.time;
    for (const auto& [op, time] : by_op) {
      const Duration own = dependencies.own(dependencies.graph().node({Location(l), op}));
      change.savings[l].push_back({op, true, std::min(time, own)});
    }
  }
  return change;
}

// The times of `retimed`, whose calls take what they depend on from `dependencies`.
void take_times(const Trace& run, const Dependencies& dependencies, const Change& change,
                Predicted& predicted) {
  const Retimed retimed = retime(run, dependencies, change);
  const MpiCalls mpi(run);
  for (std::uint32_t l = 0; l < run.timelines().size(); ++l) {
    const Timeline& timeline = run.timelines()[l];
    Replayed::Location& location = predicted.run.locations[l];
    NewTimes& times = predicted.run.times[l];
    location.in_calls = location.waiting = {};
    auto saving = change.savings.empty() ? std::vector<Saving>::const_iterator{} : change.savings[l].begin();
    for (std::uint32_t op = 0; op < timeline.size(); ++op) {
      const Dependencies::Node node = dependencies.graph().node({Location(l), op});
      const bool last = op + 1 == timeline.size();
      const Time next = last ? retimed.end[l] : retimed.enter[node + 1];
      times.enter[op] = retimed.enter[node];
      times.leave[op] = next - (timeline.gap_end(op + 1) - timeline.gap_begin(op + 1));
      Duration own = dependencies.own(node);
      if (!change.savings.empty() && saving != change.savings[l].end() && saving->op == op)
        own -= saving++->time;
      if (mpi.contains({Location(l), op})) location.in_calls += times.leave[op] - times.enter[op];
      location.waiting += times.leave[op] - times.enter[op] - own;
    }
    times.end = location.end = retimed.end[l];
  }
  predicted.run.end = retimed.last_end;
}

}  // namespace

void remove_waits(const Trace& run, const DetectOptions& waits, std::span<const PatternId> patterns,
                  Predicted& predicted) {
  const SyncPoints sync = match(run);
  const WaitStates states = detect(run, sync, waits);
  const Dependencies all(run, sync, states);
  Dependencies left(run, sync, states, patterns);
  left.own_as_in(all);
  take_times(run, left, {}, predicted);
  count_removed(states, patterns, predicted);
}

void shorten_calls(const Trace& run, const DetectOptions& waits, std::span<const Repair> repairs,
                   Predicted& predicted) {
  const SyncPoints sync = match(run);
  const WaitStates states = detect(run, sync, waits);
  const Dependencies dependencies(run, sync, states);
  take_times(run, dependencies, savings_in_calls(dependencies, run.timelines().size(), repairs), predicted);
}

}  // namespace waitdiag

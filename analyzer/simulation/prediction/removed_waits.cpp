// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/simulation/prediction/removed_waits.hpp"

#include <algorithm>

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

}  // namespace

void remove_waits(const Trace& run, const DetectOptions& waits, std::span<const PatternId> patterns,
                  Predicted& predicted) {
  const SyncPoints sync = match(run);
  const WaitStates states = detect(run, sync, waits);
  const Dependencies all(run, sync, states);
  Dependencies left(run, sync, states, patterns);
  left.own_as_in(all);
  const Retimed retimed = retime(run, left, {});
  const MpiCalls mpi(run);
  for (std::uint32_t l = 0; l < run.timelines().size(); ++l) {
    const Timeline& timeline = run.timelines()[l];
    Replayed::Location& location = predicted.run.locations[l];
    NewTimes& times = predicted.run.times[l];
    location.in_calls = location.waiting = {};
    for (std::uint32_t op = 0; op < timeline.size(); ++op) {
      const Dependencies::Node node = left.graph().node({Location(l), op});
      const bool last = op + 1 == timeline.size();
      const Time next = last ? retimed.end[l] : retimed.enter[node + 1];
      times.enter[op] = retimed.enter[node];
      times.leave[op] = next - (timeline.gap_end(op + 1) - timeline.gap_begin(op + 1));
      if (mpi.contains({Location(l), op})) location.in_calls += times.leave[op] - times.enter[op];
      location.waiting += times.leave[op] - times.enter[op] - left.own(node);
    }
    times.end = location.end = retimed.end[l];
  }
  predicted.run.end = retimed.last_end;
  count_removed(states, patterns, predicted);
}

}  // namespace waitdiag

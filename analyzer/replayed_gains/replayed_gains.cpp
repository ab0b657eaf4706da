// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/replayed_gains/replayed_gains.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "analyzer/recorded_machine/recorded_machine.hpp"
#include "analyzer/replay/replay.hpp"

namespace waitdiag {

bool of_computation_only(const Change& change) {
  return std::ranges::all_of(change.savings, [](const std::vector<Saving>& savings) {
    return std::ranges::none_of(savings, &Saving::in_call);
  });
}

GapTimes gaps_without(const Trace& trace, const Change& change) {
  GapTimes gaps = recorded_gaps(trace);
  for (std::size_t l = 0; l < change.savings.size(); ++l)
    for (const Saving& saving : change.savings[l])
      gaps[l][saving.op] = std::max<std::int64_t>(0, gaps[l][saving.op] - saving.time.count());
  return gaps;
}

ReplayedGains replayed_gains(const Trace& trace, const SyncPoints& sync, std::span<const Change> changes) {
  const RunOfMachine run{.trace = &trace, .name = "run", .sync = &sync};
  const RecordedMachine recorded = find_recorded_machine(std::span(&run, 1));
  const Placement placement(recorded.machine, recorded.cores);
  const CollectiveTable collectives = find_collectives(recorded.machine.collectives);
  const auto runtime = [&](const GapTimes& gaps) -> std::optional<Duration> {
    const Replayed replayed =
        replay(make_program(trace, sync, gaps), {recorded.machine, placement, collectives}, false);
    if (!replayed.cycle.empty()) return std::nullopt;
    return replayed.end - replayed.begin;
  };
  ReplayedGains gains;
  const Duration measured = trace.end() - trace.begin();
  const std::optional<Duration> unchanged = runtime(recorded_gaps(trace));
  if (!unchanged) {
    gains.refused = "the replay of the unchanged run cannot finish";
    return gains;
  }
  gains.error = seconds(*unchanged) / seconds(measured) - 1;
  if (std::abs(gains.error) > ReplayedGains::kClose) {
    gains.refused = fmt::format("the replay of the unchanged run is off by {:+.1f} %", 100 * gains.error);
    return gains;
  }
  // What the replay gets wrong of the run is wrong with the change, too.
  for (const Change& change : changes) {
    std::optional<Duration>& without = gains.runtime.emplace_back();
    if (of_computation_only(change)) without = runtime(gaps_without(trace, change));
    if (without) *without += measured - *unchanged;
  }
  return gains;
}

}  // namespace waitdiag

// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/efficiency/efficiency.hpp"

#include <algorithm>
#include <limits>

namespace waitdiag {
namespace {

TimeTotals totals_of(const Trace& trace, const WaitStates& states, Location location) {
  const Timeline& timeline = trace.timeline(location);
  TimeTotals result;
  result.total = timeline.end() - timeline.begin();
  for (std::uint32_t op = 0; op < timeline.size(); ++op) result.mpi += timeline.length(op);
  for (const WaitState& wait : states.waits_of(location)) result.waiting += wait.wait;
  return result;
}

double ratio(Duration part, Duration whole) {
  if (whole == Duration::zero()) return std::numeric_limits<double>::quiet_NaN();
  return static_cast<double>(part.count()) / static_cast<double>(whole.count());
}

}  // namespace

EfficiencyTree efficiency(const Trace& trace, const WaitStates& states) {
  Duration longest{}, sum{}, ideal{};
  for (std::size_t rank = 0; rank < trace.ranks(); ++rank) {
    const TimeTotals totals = totals_of(trace, states, trace.main_location(Rank(rank)));
    const Duration transfer = totals.mpi - totals.waiting;
    longest = std::max(longest, totals.computation());
    sum += totals.computation();
    ideal = std::max(ideal, totals.total - transfer);
  }
  const Duration run_time = trace.end() - trace.begin();
  const auto processes = static_cast<std::int64_t>(trace.ranks());
  return {.parallel = ratio(sum, run_time * processes),
          .load_balance = ratio(sum, longest * processes),
          .communication = ratio(longest, run_time),
          .serialisation = ratio(longest, ideal),
          .transfer = ratio(ideal, run_time)};
}

EfficiencyTree efficiency_on_ideal_network(const EfficiencyTree& by_waits, Duration run_time,
                                           Duration ideal_run_time) {
  EfficiencyTree result = by_waits;
  result.transfer = ratio(ideal_run_time, run_time);
  result.serialisation = by_waits.communication / result.transfer;
  return result;
}

TimeTotals time_totals(const Trace& trace, const WaitStates& states) {
  TimeTotals result;
  for (std::size_t l = 0; l < trace.timelines().size(); ++l) {
    const TimeTotals location = totals_of(trace, states, Location(l));
    result.total += location.total;
    result.mpi += location.mpi;
    result.waiting += location.waiting;
  }
  return result;
}

}  // namespace waitdiag

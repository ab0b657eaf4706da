// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/diagnosis/efficiency/efficiency.hpp"

#include <algorithm>
#include <limits>

#include "analyzer/trace/model/mpi_calls.hpp"
#include "analyzer/trace/sync/polling.hpp"

namespace waitdiag {
namespace {

// Operations for which `counts` is true do not count as computation.
template <typename Counts>
TimeTotals totals_of(const Trace& trace, const WaitStates& states, Location location, Counts counts) {
  const Timeline& timeline = trace.timeline(location);
  TimeTotals result;
  result.total = timeline.end() - timeline.begin();
  for (std::uint32_t op = 0; op < timeline.size(); ++op)
    if (counts(OpRef{location, op})) result.mpi += timeline.length(op);
  for (const WaitState& wait : states.waits_of(location))
    if (counts(wait.victim)) result.waiting += wait.wait;
  return result;
}

// The share of `part` in `wholes` times `whole`, which may be more than a duration holds.
double ratio(Duration part, Duration whole, std::int64_t wholes = 1) {
  if (whole == Duration::zero()) return std::numeric_limits<double>::quiet_NaN();
  return static_cast<double>(part.count()) /
         (static_cast<double>(whole.count()) * static_cast<double>(wholes));
}

}  // namespace

bool is_known(const Trace& trace, Location location) {
  return trace.timeline(location).end() > trace.timeline(location).begin();
}

void EfficiencySum::add(const TimeTotals& process) {
  longest_total_ = std::max(longest_total_, process.total);
  longest_ = std::max(longest_, process.computation());
  sum_ += process.computation();
  const Duration transfer = process.mpi - process.waiting;
  ideal_ = std::max(ideal_, process.total - transfer);
  ++processes_;
}

EfficiencyTree EfficiencySum::tree(Duration run_time) const {
  return {.parallel = ratio(sum_, run_time, processes_),
          .load_balance = ratio(sum_, longest_, processes_),
          .communication = ratio(longest_, run_time),
          .serialisation = ratio(longest_, ideal_),
          .transfer = ratio(ideal_, run_time)};
}

EfficiencyTree efficiency(const Trace& trace, const WaitStates& states) {
  EfficiencySum sum;
  const MpiCalls mpi(trace);
  for (std::size_t rank = 0; rank < trace.ranks(); ++rank) {
    const Location main = trace.main_location(Rank(rank));
    if (is_known(trace, main))
      sum.add(totals_of(trace, states, main, [&](OpRef op) { return mpi.contains(op); }));
  }
  return sum.tree(trace.end() - trace.begin());
}

EfficiencyTree efficiency_on_ideal_network(const EfficiencyTree& by_waits, Duration run_time,
                                           Duration ideal_run_time) {
  EfficiencyTree result = by_waits;
  result.transfer = ratio(ideal_run_time, run_time);
  result.serialisation = by_waits.communication / result.transfer;
  return result;
}

Duration begin_and_end(const Trace& trace, const SyncPoints& sync, const WaitStates& states) {
  Duration result{};
  for (const CollectiveInstance& instance : sync.collectives) {
    if (instance.kind != CollectiveKind::Init && instance.kind != CollectiveKind::Finalize) continue;
    for (const CollectiveMember& member : sync.members_of(instance)) {
      result += trace.timeline(member.location).length(member.part);
      const auto waits = states.waits_of(member.location);
      const auto op_of = [](const WaitState& wait) { return wait.victim.op; };
      auto wait = std::ranges::lower_bound(waits, member.part, {}, op_of);
      for (; wait != waits.end() && op_of(*wait) == member.part; ++wait) result -= wait->wait;
    }
  }
  return result;
}

TimeTotals time_totals(const Trace& trace, const WaitStates& states, Pollers pollers) {
  TimeTotals result;
  for (std::size_t l = 0; l < trace.timelines().size(); ++l)
    if (pollers == Pollers::Count || !polls_in_vain(trace, Location(l)))
      result.add(totals_of(trace, states, Location(l), [](OpRef) { return true; }));
  return result;
}

}  // namespace waitdiag

// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/efficiency/part_efficiency.hpp"

#include "analyzer/model/mpi_calls.hpp"
#include "analyzer/parallel/parallel.hpp"

namespace waitdiag {
namespace {

// What one process spent in each part.
std::vector<TimeTotals> totals_by_part(const Trace& trace, const WaitStates& states, const Parts& parts,
                                       const MpiCalls& mpi, Location location) {
  std::vector<TimeTotals> result(parts.rows().size());
  const Timeline& timeline = trace.timeline(location);
  const auto waits = states.waits_of(location);
  auto wait = waits.begin();
  parts.for_each_gap(trace, location, [&](std::size_t gap, std::size_t smallest) {
    TimeTotals here{.total = timeline.gap_end(gap) - timeline.gap_begin(gap)};
    if (gap < timeline.size()) {
      const auto op = static_cast<std::uint32_t>(gap);
      const bool counts = mpi.contains({location, op});
      here.total += timeline.length(op);
      if (counts) here.mpi = timeline.length(op);
      for (; wait != waits.end() && wait->victim.op == op; ++wait)
        here.waiting += counts ? wait->wait : Duration::zero();
    }
    Parts::for_each_row(smallest, [&](std::size_t row) { result[row].add(here); });
  });
  return result;
}

}  // namespace

std::vector<PartEfficiency> efficiency_by_part(const Trace& trace, const WaitStates& states,
                                               const Steps& steps, std::uint32_t most_groups) {
  const Parts parts(steps, most_groups);
  const MpiCalls mpi(trace);
  std::vector<std::vector<TimeTotals>> by_rank(trace.ranks());
  for_each_index(by_rank.size(), [&](std::size_t rank) {
    by_rank[rank] = totals_by_part(trace, states, parts, mpi, trace.main_location(Rank(rank)));
  });
  std::vector<PartEfficiency> result;
  for (std::size_t row = 0; row < parts.rows().size(); ++row) {
    PartEfficiency part{.part = parts.rows()[row]};
    EfficiencySum sum;
    for (std::size_t rank = 0; rank < by_rank.size(); ++rank) {
      if (!is_known(trace, trace.main_location(Rank(rank)))) continue;
      sum.add(by_rank[rank][row]);
      part.totals.add(by_rank[rank][row]);
    }
    const bool run = part.part.kind == Part::Kind::Run;
    part.time = run ? trace.end() - trace.begin() : sum.longest_total();
    part.tree = sum.tree(part.time);
    if (part.time > Duration::zero()) result.push_back(part);
  }
  return result;
}

}  // namespace waitdiag

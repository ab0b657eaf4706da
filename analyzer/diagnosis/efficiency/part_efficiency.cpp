// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/diagnosis/efficiency/part_efficiency.hpp"

#include <algorithm>
#include <map>

#include "analyzer/trace/model/mpi_calls.hpp"
#include "analyzer/trace/parallel/parallel.hpp"

namespace waitdiag {
namespace {

// What one process spent in each part.
std::vector<TimeTotals> totals_by_part(const Trace& trace, const WaitStates& states, const Parts& parts,
                                       const MpiCalls& mpi, Location location) {
  std::vector<TimeTotals> result(parts.rows().size());
  const Timeline& timeline = trace.timeline(location);
  const auto waits = states.waits_of(location);
  auto wait = waits.begin();
  parts.for_each_part(trace, location, [&](const GapPart& part, std::size_t smallest) {
    TimeTotals here{.total = part.length()};
    if (const std::uint32_t op = part.gap; part.last && op < timeline.size()) {
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

// One user region on one process.
struct InRegion {
  Time first_entered = Time::max();
  TimeTotals totals{};
};

std::map<RegionId, InRegion> totals_by_region(const Trace& trace, const WaitStates& states,
                                              const MpiCalls& mpi, Location location) {
  std::map<RegionId, InRegion> result;
  const Timeline& timeline = trace.timeline(location);
  const auto waits = states.waits_of(location);
  auto wait = waits.begin();
  std::uint32_t op = 0;
  for (const UserRegion& region : timeline.user_regions()) {
    TimeTotals here{.total = region.end - region.begin};
    while (op < timeline.size() && timeline.enter(op) < region.begin) ++op;
    for (; op < timeline.size() && timeline.leave(op) <= region.end; ++op) {
      if (!mpi.contains({location, op})) continue;
      here.mpi += timeline.length(op);
      while (wait != waits.end() && wait->victim.op < op) ++wait;
      for (; wait != waits.end() && wait->victim.op == op; ++wait) here.waiting += wait->wait;
    }
    InRegion& all = result[region.region];
    all.first_entered = std::min(all.first_entered, region.begin);
    all.totals.add(here);
  }
  return result;
}

PartEfficiency efficiency_of(const Part& part, const std::vector<TimeTotals>& processes,
                             Duration least = Duration::zero()) {
  PartEfficiency row{.part = part};
  EfficiencySum sum;
  for (const TimeTotals& process : processes) {
    sum.add(process);
    row.totals.add(process);
  }
  row.time = std::max(least, sum.longest_total());
  row.tree = sum.tree(row.time);
  return row;
}

std::vector<PartEfficiency> efficiency_by_region(const Trace& trace, const WaitStates& states,
                                                 const MpiCalls& mpi) {
  std::vector<Location> known;
  for (std::size_t rank = 0; rank < trace.ranks(); ++rank)
    if (const Location main = trace.main_location(Rank(rank)); is_known(trace, main)) known.push_back(main);
  std::vector<std::map<RegionId, InRegion>> by_process(known.size());
  for_each_index(known.size(), [&](std::size_t process) {
    by_process[process] = totals_by_region(trace, states, mpi, known[process]);
  });
  std::multimap<Time, PartEfficiency> rows;  // by the first time it was entered
  if (known.empty()) return {};
  for (const auto& [region, on_first] : by_process.front()) {
    Time first = on_first.first_entered;
    std::vector<TimeTotals> processes;
    for (const auto& mine : by_process) {
      const auto found = mine.find(region);
      if (found == mine.end()) break;
      first = std::min(first, found->second.first_entered);
      processes.push_back(found->second.totals);
    }
    const Part part{.kind = Part::Kind::Region, .region = region};
    if (processes.size() == known.size()) rows.emplace(first, efficiency_of(part, processes));
  }
  std::vector<PartEfficiency> result;
  for (const auto& [first, row] : rows)
    if (row.time > Duration::zero()) result.push_back(row);
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
    std::vector<TimeTotals> processes;
    for (std::size_t rank = 0; rank < by_rank.size(); ++rank)
      if (is_known(trace, trace.main_location(Rank(rank)))) processes.push_back(by_rank[rank][row]);
    const bool run = parts.rows()[row].kind == Part::Kind::Run;
    const Duration least = run ? trace.end() - trace.begin() : Duration::zero();
    const PartEfficiency part = efficiency_of(parts.rows()[row], processes, least);
    if (part.time > Duration::zero()) result.push_back(part);
  }
  for (const PartEfficiency& row : efficiency_by_region(trace, states, mpi)) result.push_back(row);
  return result;
}

void add_critical_path(const PartsInTime& parts, const WhatIf& what_if, std::vector<PartEfficiency>& rows) {
  for (PartEfficiency& row : rows) {
    const bool run = row.part.kind == Part::Kind::Run;
    const std::uint32_t number = parts.number(row.part);
    const Duration ideal = run ? what_if.ideal_runtime : what_if.parts.ideal[number];
    row.on_path = efficiency_on_ideal_network(row.tree, row.time, ideal);
    row.path_time = run ? what_if.path.total : what_if.parts.on_path[number];
  }
}

}  // namespace waitdiag

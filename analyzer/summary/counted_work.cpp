// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/summary/counted_work.hpp"

#include <algorithm>

#include "analyzer/results/leading_ranks.hpp"
#include "analyzer/wording/labels.hpp"
#include "libwaitprof/schema/schema.hpp"

namespace waitdiag {
namespace {

double per(double what, double by) {
  return by > 0 ? what / by : 0;
}

}  // namespace

void CountedCauses::Counted::add(const Counted& more, double share) {
  instructions += share * more.instructions;
  cycles += share * more.cycles;
  seconds += share * more.seconds;
}

CountedCauses::CountedCauses(const Trace& trace, const Diagnosis& found)
    : trace_(trace), activities_(found.compared().activities), of_rank_(trace.ranks()) {
  const bool any = std::ranges::any_of(
      trace.timelines(), [](const Timeline& timeline) { return !timeline.counted_work().empty(); });
  if (!any) return;
  for (const DelayCost& cost : found.costs.costs)
    of_slot_.try_emplace(activities_.slot(cost.call_path), trace.ranks());
  for (std::uint32_t l = 0; l < trace.timelines().size(); ++l)
    for (const CountedWork& work : trace.timelines()[l].counted_work()) add(Location(l), work);
}

bool CountedCauses::ran(ActivityId activity) const {
  const CallPathId path =
      activities_.is_exact(activity) ? activities_.call_path(index(activity)) : kNoCallPath;
  return path == kNoCallPath || !trace_.region(path).off();
}

void CountedCauses::add(Location location, const CountedWork& work) {
  if (work.op >= trace_.timeline(location).gaps()) return;
  Duration all{};
  activities_.for_each_in_gap(location, work.op, [&](ActivityId activity, Duration time) {
    if (ran(activity)) all += time;
  });
  if (all <= Duration::zero()) return;
  const Counted counted{static_cast<double>(work.counts.instructions),
                        static_cast<double>(work.counts.cycles), seconds(all)};
  const std::size_t rank = index(trace_.rank(location));
  of_rank_[rank].add(counted);
  activities_.for_each_in_gap(location, work.op, [&](ActivityId activity, Duration time) {
    if (!ran(activity)) return;
    const double part = static_cast<double>(time.count()) / static_cast<double>(all.count());
    const auto give = [&](std::size_t slot, double share) {
      if (const auto known = of_slot_.find(slot); known != of_slot_.end())
        known->second[rank].add(counted, part * share);
    };
    if (activities_.is_exact(activity)) return give(index(activity), 1);
    for (const Share& share : activities_.shares(activity))
      give(activities_.slot(share.call_path), share.share());
  });
}

std::optional<WorkDifference> CountedCauses::difference(const std::vector<Counted>& by_rank,
                                                        const std::vector<std::int64_t>& late) {
  Counted here, there;
  double ranks_here = 0, ranks_there = 0;
  for (std::size_t rank = 0; rank < by_rank.size(); ++rank) {
    if (by_rank[rank].cycles <= 0) continue;
    const bool is_late = std::ranges::find(late, static_cast<std::int64_t>(rank)) != late.end();
    (is_late ? here : there).add(by_rank[rank]);
    (is_late ? ranks_here : ranks_there) += 1;
  }
  if (here.cycles <= 0) return std::nullopt;
  return WorkDifference{.instructions = per(here.instructions, ranks_here),
                        .other_instructions = per(there.instructions, ranks_there),
                        .ipc = per(here.instructions, here.cycles),
                        .other_ipc = per(there.instructions, there.cycles),
                        .hz = per(here.cycles, here.seconds),
                        .other_hz = per(there.cycles, there.seconds)};
}

void CountedCauses::add_ranks(Report& report) const {
  const auto& properties = trace_.facts().properties;
  const auto told = properties.find(waitprof::schema::kCounters);
  if (told != properties.end()) report.counters = told->second;
  for (std::size_t rank = 0; rank < of_rank_.size(); ++rank) {
    const Counted& row = of_rank_[rank];
    if (row.cycles > 0)
      report.counted.push_back({static_cast<std::int64_t>(rank), row.instructions, row.cycles, row.seconds});
  }
}

void CountedCauses::explain(CallPathId path, Report::Cause& cause) const {
  const auto counted = of_slot_.find(activities_.slot(path));
  if (counted == of_slot_.end() || cause.kind != "computation") return;
  cause.work = difference(counted->second, leading_ranks(cause.ranks));
  if (cause.work && !cause.why.text.empty())
    cause.why.text += " " + work_sentence(*cause.work, ranks_label(cause.ranks, trace_.ranks()));
}

}  // namespace waitdiag

// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/summary/teams.hpp"

#include <algorithm>
#include <functional>
#include <map>
#include <numeric>

#include "analyzer/summary/call_path_labels.hpp"

namespace waitdiag {
namespace {

double total_of(const std::vector<Duration>& busy) {
  return seconds(std::accumulate(busy.begin(), busy.end(), Duration{}));
}

Teams::Team row_of(const Trace& trace, Rank rank, const ParallelTotal& total) {
  const CallPathLabel label = label_of(trace, total.call_path);
  const auto threads = static_cast<double>(total.busy.size());
  const auto busiest = std::ranges::max_element(total.busy);
  const double slowest = seconds(total.slowest), busy = total_of(total.busy),
               with_turns = std::max(slowest, seconds(total.with_turns)),
               with_tasks = std::max(with_turns, seconds(total.with_tasks)),
               barriers = seconds(total.barriers);
  return {.call_path = label.call_path,
          .function = label.function,
          .rank = static_cast<std::int64_t>(index(rank)),
          .threads = total.busy.size(),
          .regions = total.regions,
          .left_out = total.left_out,
          .time_s = seconds(total.time),
          .mean_s = busy / threads,
          .slowest_s = slowest,
          .waiting_s = std::max(0.0, threads * slowest - busy),
          .contention_s = threads * (with_turns - slowest),
          .tasks_s = threads * (with_tasks - with_turns),
          .barriers_s = threads * barriers,
          .overhead_s = std::max(0.0, threads * (seconds(total.time) - with_tasks - barriers)),
          .turns_s = total_of(total.turns),
          .task_waits_s = seconds(total.tasks),
          .busiest_thread = busiest - total.busy.begin(),
          .busiest_s = seconds(*busiest)};
}

// In thread seconds over all ranks.
struct HybridTime {
  double available = 0, outside_mpi = 0;
  // Without what is lost to serial parts; to begin and end of teams, too; and so on.
  double not_serial = 0, not_overhead = 0, not_barriers = 0, not_tasks = 0, not_contention = 0, computed = 0;
};

// By parallel total of the timeline: time of MPI calls inside of the regions, in which the thread that opened them did
// not compute. Regions are known in total only, not when. So this is the least that must have been inside: what they
// took longer than the rank was outside of MPI. It is divided like the time of MPI calls below their call paths.
std::vector<double> mpi_inside(const Trace& trace, const Timeline& timeline, double computing) {
  const std::vector<ParallelTotal>& totals = timeline.parallel();
  std::vector<double> inside(totals.size());
  double in_teams = 0;
  for (const ParallelTotal& total : totals) in_teams += seconds(total.time);
  if (in_teams <= computing) return inside;
  std::map<CallPathId, std::size_t> opened;
  for (std::size_t i = 0; i < totals.size(); ++i) opened.emplace(totals[i].call_path, i);
  for (std::uint32_t op = 0; op < timeline.size(); ++op) {
    CallPathId path = timeline.call_path(op);
    while (path != kNoCallPath && !opened.contains(path)) path = trace.call_paths()[index(path)].parent;
    if (path != kNoCallPath) inside[opened[path]] += seconds(timeline.leave(op) - timeline.enter(op));
  }
  double possible = 0;
  for (std::size_t i = 0; i < inside.size(); ++i)
    possible += inside[i] = std::min(inside[i], seconds(totals[i].time));
  const double part = possible > 0 ? std::min(1.0, (in_teams - computing) / possible) : 0;
  for (double& time : inside) time *= part;
  return inside;
}

void add_rank(const Trace& trace, const Timeline& timeline, HybridTime& sum, Teams& teams) {
  double computing = 0;
  for (std::size_t gap = 0; gap < timeline.gaps(); ++gap)
    computing += seconds(timeline.gap_end(gap) - timeline.gap_begin(gap));
  double threads = 1, in_teams = 0, busy = 0, slowest = 0, with_turns = 0, with_tasks = 0, with_barriers = 0,
         slots = 0;
  const std::vector<double> inside = mpi_inside(trace, timeline, computing);
  for (std::size_t i = 0; i < inside.size(); ++i) {
    const ParallelTotal& total = timeline.parallel()[i];
    const auto members = static_cast<double>(total.busy.size());
    const double time = seconds(total.time) - inside[i];
    const double computed = std::clamp(total_of(total.busy) - inside[i], 0.0, members * time);
    threads = std::max(threads, members);
    in_teams += time;
    slots += members * time;
    // Each is a part of the next one.
    const auto part = [&](Duration of_one, double least) {
      return std::clamp(members * seconds(of_one), least, members * time);
    };
    const double late = part(total.slowest, computed), turns = part(total.with_turns, late),
                 tasks = part(total.with_tasks, turns);
    slowest += late;
    with_turns += turns;
    with_tasks += tasks;
    with_barriers += part(std::max(total.with_turns, total.with_tasks) + total.barriers, tasks);
    busy += computed;
    teams.mpi_inside_s += inside[i];
  }
  const double serial = std::max(0.0, computing - in_teams);
  sum.available += threads * seconds(trace.end() - trace.begin());
  sum.outside_mpi += threads * computing;
  sum.not_serial += serial + slots;
  sum.not_overhead += serial + with_barriers;
  sum.not_barriers += serial + with_tasks;
  sum.not_tasks += serial + with_turns;
  sum.not_contention += serial + slowest;
  sum.computed += serial + busy;
  teams.threads = std::max(teams.threads, static_cast<std::uint64_t>(threads));
}

}  // namespace

std::optional<Teams> teams_of(const Trace& trace) {
  Teams teams;
  HybridTime time;
  for (std::size_t r = 0; r < trace.ranks(); ++r) {
    const Rank rank{static_cast<std::int32_t>(r)};
    const Timeline& timeline = trace.timelines()[index(trace.main_location(rank))];
    for (const ParallelTotal& total : timeline.parallel())
      if (!total.busy.empty()) teams.by_call_path.push_back(row_of(trace, rank, total));
    add_rank(trace, timeline, time, teams);
  }
  if (teams.by_call_path.empty()) return std::nullopt;
  std::ranges::stable_sort(teams.by_call_path, std::greater{}, &Teams::Team::waiting_s);
  teams.parallel = time.computed / time.available;
  teams.mpi = time.outside_mpi / time.available;
  // Rounded sums may be larger by a little.
  teams.openmp = std::min(1.0, time.computed / time.outside_mpi);
  teams.serial = std::min(1.0, time.not_serial / time.outside_mpi);
  teams.overhead = std::min(1.0, time.not_overhead / time.not_serial);
  teams.barriers = std::min(1.0, time.not_barriers / time.not_overhead);
  teams.tasks = std::min(1.0, time.not_tasks / time.not_barriers);
  teams.contention = std::min(1.0, time.not_contention / time.not_tasks);
  teams.balance = std::min(1.0, time.computed / time.not_contention);
  return teams;
}

}  // namespace waitdiag

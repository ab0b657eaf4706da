// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/summary/teams.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <numeric>

#include "analyzer/results/leading_ranks.hpp"
#include "analyzer/summary/call_path_labels.hpp"
#include "analyzer/wording/labels.hpp"
#include "analyzer/wording/numbers.hpp"

namespace waitdiag {
namespace {

double sum_of(const std::vector<Duration>& busy) {
  return seconds(std::accumulate(busy.begin(), busy.end(), Duration{}));
}

Teams::Team row_of(const Trace& trace, Rank rank, const ParallelTotal& total) {
  const CallPathLabel label = label_of(trace, total.call_path);
  const auto threads = static_cast<double>(total.busy.size());
  const auto busiest = std::ranges::max_element(total.busy);
  const double slowest = seconds(total.slowest), busy = sum_of(total.busy);
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
          .overhead_s = std::max(0.0, threads * (seconds(total.time) - slowest)),
          .busiest_thread = busiest - total.busy.begin(),
          .busiest_s = seconds(*busiest)};
}

// In thread seconds over all ranks.
struct HybridTime {
  double available = 0, outside_mpi = 0, not_serial = 0, not_waiting = 0, computed = 0;
};

void add_rank(const Trace& trace, const Timeline& timeline, HybridTime& sum, Teams& teams) {
  double threads = 1, in_teams = 0, busy = 0, slowest = 0, slots = 0;
  for (const ParallelTotal& total : timeline.parallel()) {
    const auto members = static_cast<double>(total.busy.size());
    threads = std::max(threads, members);
    in_teams += seconds(total.time);
    slots += members * seconds(total.time);
    slowest += members * seconds(total.slowest);
    busy += sum_of(total.busy);
  }
  double computing = 0;
  for (std::size_t gap = 0; gap < timeline.gaps(); ++gap)
    computing += seconds(timeline.gap_end(gap) - timeline.gap_begin(gap));
  const double serial = std::max(0.0, computing - in_teams);
  sum.available += threads * seconds(trace.end() - trace.begin());
  sum.outside_mpi += threads * computing;
  sum.not_serial += serial + slots;
  sum.not_waiting += serial + slowest;
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
  teams.openmp = time.computed / time.outside_mpi;
  teams.serial = time.not_serial / time.outside_mpi;
  teams.overhead = time.not_waiting / time.not_serial;
  teams.balance = time.computed / time.not_waiting;
  return teams;
}

void name_late_threads(Report& report) {
  constexpr double kWorthSaying = 0.1;  // of the excess
  if (!report.teams) return;
  for (Report::Cause& cause : report.causes) {
    const bool of_threads = cause.kind == "computation" || cause.waited_for == "threads";
    if (cause.why.text.empty() || !of_threads) continue;
    for (const std::int64_t rank : leading_ranks(cause.ranks)) {
      const auto team = std::ranges::find_if(report.teams->by_call_path, [&](const Teams::Team& row) {
        return row.rank == rank && (cause.call_path + '/').starts_with(row.call_path + '/');
      });
      if (team == report.teams->by_call_path.end()) continue;
      const double gain = team->slowest_s - team->mean_s;
      if (gain < kWorthSaying * cause.excess_s) continue;
      cause.why.text += fmt::format(
          " On rank {} thread {} of {} was late in {}: it computed for {}, a thread on average for {}; with "
          "even threads the rank would be {} faster.",
          rank, team->busiest_thread, team->threads, function_label(team->function),
          format_duration(team->busiest_s), format_duration(team->mean_s), format_duration(gain));
      break;
    }
  }
}

}  // namespace waitdiag

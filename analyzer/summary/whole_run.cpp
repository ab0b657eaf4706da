// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/summary/report_rows.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <unordered_map>

#include "analyzer/diagnosis/efficiency/efficiency.hpp"

namespace waitdiag {
namespace {

// What the excerpts show of one location, by call path.
struct Seen {
  Duration time{}, waiting{};
};
using SeenPaths = std::unordered_map<CallPathId, Seen>;

SeenPaths seen_paths(const Trace& trace, const WaitStates& states, Location location) {
  SeenPaths seen;
  const Timeline& timeline = trace.timeline(location);
  for (std::uint32_t op = 0; op < timeline.size(); ++op)
    seen[trace.without_sites(timeline.call_path(op))].time += timeline.length(op);
  for (const WaitState& wait : states.waits_of(location))
    seen[trace.without_sites(trace.call_path(wait.victim))].waiting += wait.wait;
  return seen;
}

class WholeRunSum {
 public:
  WholeRunSum(const Trace& trace, const WaitStates& states) : trace_(trace), states_(states) {
    for (std::size_t l = 0; l < trace.timelines().size(); ++l) locations_.push_back(totals_of(Location(l)));
  }

  Report::WholeRun sum() {
    for (const TimeTotals& totals : locations_) time_.add(totals);
    whole_.runtime_s = seconds(trace_.facts().run_time);
    whole_.recorded_s = seconds(trace_.end() - trace_.begin());
    whole_.steps = trace_.facts().steps_passed;
    whole_.time = {
        seconds(time_.total), seconds(time_.computation()), seconds(time_.mpi), seconds(time_.waiting), {}};
    EfficiencySum efficiency;
    std::set<std::uint64_t> excerpts{0};
    for (std::size_t rank = 0; rank < trace_.ranks(); ++rank) {
      const Location main = trace_.main_location(Rank(rank));
      efficiency.add(locations_[index(main)]);
      for (const ExcerptMark& mark : trace_.timeline(main).excerpts()) excerpts.insert(mark.number);
    }
    whole_.excerpts = excerpts.size();
    whole_.efficiency = efficiency_row(efficiency.tree(trace_.facts().run_time), "waits");
    for (auto& [name, site] : sites_) whole_.call_sites.push_back(std::move(site));
    std::stable_sort(whole_.call_sites.begin(), whole_.call_sites.end(),
                     [](const auto& one, const auto& other) { return one.seconds > other.seconds; });
    return std::move(whole_);
  }

 private:
  TimeTotals totals_of(Location location) {
    const Timeline& timeline = trace_.timeline(location);
    const SeenPaths seen = seen_paths(trace_, states_, location);
    TimeTotals totals{.total = timeline.end() - timeline.begin() + timeline.left_out()};
    for (const CallTotal& total : timeline.totals()) {
      totals.mpi += total.time;
      totals.waiting += waiting_in(total, seen);
      add(total);
    }
    return totals;
  }

  // The time of these calls multiplied by the share that the calls in the excerpts waited.
  Duration waiting_in(const CallTotal& total, const SeenPaths& seen) {
    const auto found = seen.find(trace_.without_sites(total.call_path));
    if (found == seen.end() || found->second.time <= Duration::zero()) {
      whole_.unseen_mpi_s += seconds(total.time);
      return {};
    }
    const auto [time, waiting] = found->second;
    const double part = static_cast<double>(waiting.count()) / static_cast<double>(time.count());
    return Duration(
        static_cast<Duration::rep>(std::min(1.0, part) * static_cast<double>(total.time.count())));
  }

  void add(const CallTotal& total) {
    const std::string name =
        total.call_path == kNoCallPath ? Report::kFurtherCallPaths : trace_.call_path_name(total.call_path);
    Report::WholeRun::CallSite& site = sites_[name];
    const double shortest = seconds(total.shortest);
    site.shortest_s = site.calls == 0 ? shortest : std::min(site.shortest_s, shortest);
    site.longest_s = std::max(site.longest_s, seconds(total.longest));
    site.call_path = name;
    site.calls += total.calls;
    site.seconds += seconds(total.time);
    site.messages += total.messages;
    site.bytes += total.message_bytes + total.collective_bytes;
    whole_.mpi_calls += total.calls;
    whole_.messages += total.messages;
    whole_.message_bytes += total.message_bytes;
    whole_.collective_bytes += total.collective_bytes;
  }

  const Trace& trace_;
  const WaitStates& states_;
  Report::WholeRun whole_{};
  std::map<std::string, Report::WholeRun::CallSite> sites_{};
  TimeTotals time_{};
  std::vector<TimeTotals> locations_{};
};

}  // namespace

std::optional<Report::WholeRun> whole_run(const Trace& trace, const WaitStates& states) {
  if (!trace.facts().excerpts) return std::nullopt;
  return WholeRunSum(trace, states).sum();
}

}  // namespace waitdiag

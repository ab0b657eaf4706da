// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/summary/guilty_calls.hpp"

#include <algorithm>

#include "analyzer/results/leading_ranks.hpp"
#include "analyzer/summary/call_path_labels.hpp"
#include "analyzer/trace/parallel/parallel.hpp"

namespace waitdiag {
namespace {

constexpr double kNearlyAll = 0.9;
constexpr double kHardlyAny = 0.05;
constexpr double kWorthALook = 0.01;  // of the waiting

}  // namespace

GuiltyCalls::GuiltyCalls(const Trace& trace, const Diagnosis& found) : trace_(trace), found_(found) {
  if (!trace.has_sites()) return;
  for (std::uint32_t i = 0; i < trace.call_paths().size(); ++i)
    others_[trace.without_sites(CallPathId{i})].push_back(CallPathId{i});
  std::erase_if(others_, [](const auto& paths) { return paths.second.size() == 1; });
  has_others_.resize(trace.call_paths().size());
  for (const auto& [all, paths] : others_)
    for (const CallPathId path : paths) has_others_[index(path)] = true;
  by_location_.resize(trace.timelines().size());
  for_each_index(by_location_.size(), [&](std::size_t l) { by_location_[l] = times_at(Location(l)); });
}

double GuiltyCalls::time_of(const TimeByPath& times, CallPathId path) {
  const auto found = std::ranges::lower_bound(times, path, {}, &PathTime::path);
  return found == times.end() || found->path != path ? 0 : found->nanoseconds;
}

// Waits are taken out.
GuiltyCalls::TimeByPath GuiltyCalls::times_at(Location location) const {
  std::vector<double> times(has_others_.size(), 0.0);
  const Timeline& timeline = trace_.timeline(location);
  const Activities& activities = found_.by_call_path.activities;
  for (std::size_t gap = 0; gap < timeline.gaps(); ++gap) {
    for (const ComputationPiece& piece : timeline.pieces(gap))
      if (piece.call_path != kNoCallPath)
        times[index(piece.call_path)] += static_cast<double>(piece.time.count());
    activities.for_each_in_gap(location, gap, [&](ActivityId activity, Duration time) {
      if (activities.is_exact(activity)) return;
      for (const Share& share : activities.shares(activity))
        if (share.call_path != kNoCallPath)
          times[index(share.call_path)] += share.share() * static_cast<double>(time.count());
    });
  }
  for (std::uint32_t op = 0; op < timeline.size(); ++op)
    times[index(timeline.call_path(op))] += static_cast<double>(timeline.length(op).count());
  for (const WaitState& wait : found_.states.waits_of(location))
    times[index(trace_.call_path(wait.victim))] -= static_cast<double>(wait.wait.count());
  TimeByPath result;
  for (std::uint32_t i = 0; i < times.size(); ++i)
    if (has_others_[i] && times[i] > 0) result.push_back({CallPathId{i}, times[i]});
  return result;
}

// Of a pool of functions nothing is known one by one.
std::span<const CallPathId> GuiltyCalls::others_of(CallPathId path) const {
  const auto found = others_.find(path);
  const bool pooled = found_.compared().activities.pool_of(path).size() > 1;
  return found == others_.end() || pooled ? std::span<const CallPathId>() : found->second;
}

CallPathId GuiltyCalls::longest(CallPathId path) const {
  CallPathId most = path;
  double most_time = 0, all = 0;
  for (const CallPathId other : others_of(path)) {
    double time = 0;
    for (const TimeByPath& times : by_location_) time += time_of(times, other);
    all += time;
    if (time <= most_time) continue;
    most = other;
    most_time = time;
  }
  return most_time > 0 && most_time >= kNearlyAll * all ? most : path;
}

CallPathId GuiltyCalls::late(CallPathId cause, std::span<const std::size_t> late_ranks) const {
  const auto calls = others_of(cause);
  if (calls.empty() || late_ranks.empty()) return cause;
  std::vector<bool> is_late(trace_.ranks());
  for (const std::size_t rank : late_ranks) is_late[rank] = true;
  const auto late = static_cast<double>(late_ranks.size());
  const double others = static_cast<double>(trace_.ranks()) - late;
  CallPathId most = cause;
  double most_excess = 0, excess = 0, most_time = 0, all = 0;
  for (const CallPathId path : calls) {
    double of_late = 0, of_others = 0;
    for (std::size_t l = 0; l < by_location_.size(); ++l)
      (is_late[index(trace_.rank(Location(l)))] ? of_late : of_others) += time_of(by_location_[l], path);
    const double more = std::max(0.0, of_late / late - (others > 0 ? of_others / others : 0));
    excess += more;
    all += of_late + of_others;
    if (more <= most_excess) continue;
    most = path;
    most_excess = more;
    most_time = of_late + of_others;
  }
  const bool stands_out = most_excess > 0 && most_excess >= kNearlyAll * excess;
  return stands_out && all - most_time >= kHardlyAny * all ? most : cause;
}

std::vector<Report::Cause::Site> GuiltyCalls::sites_of(CallPathId path) const {
  std::vector<Report::Cause::Site> sites;
  CallPathId all = trace_.without_sites(path);
  while (path != all && path != kNoCallPath) {
    const CallPathNode& node = trace_.call_paths()[index(path)];
    const CallPathNode& node_of_all = trace_.call_paths()[index(all)];
    if (node.line != node_of_all.line && node.line != 0) {
      const Region& function = trace_.region(node.region);
      sites.push_back({function.name, function.file, node.line});
    }
    path = node.parent;
    all = node_of_all.parent;
  }
  std::ranges::reverse(sites);
  return sites;
}

void GuiltyCalls::place(CallPathId path, Report::Hotspot& hotspot) const {
  if (!is_call(path)) return;
  const CallPathLabel label = label_of(trace_, longest(path));
  hotspot.file = label.file;
  hotspot.line = label.line;
}

void GuiltyCalls::add_sites(CallPathId path, Report::Cause& cause) const {
  CallPathId call = path;
  if (cause.share_of_waiting >= kWorthALook) {
    std::vector<std::size_t> late_ranks;
    for (const std::int64_t rank : leading_ranks(cause.ranks))
      late_ranks.push_back(static_cast<std::size_t>(rank));
    call = late(path, late_ranks);
    if (call != path) cause.called_at = sites_of(call);
  }
  if (!is_call(path)) return;
  const CallPathLabel label = label_of(trace_, call != path ? call : longest(path));
  cause.file = label.file;
  cause.line = label.line;
}

}  // namespace waitdiag

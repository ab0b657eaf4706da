// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/summary/report_rows.hpp"

#include <algorithm>
#include <functional>
#include <map>
#include <utility>
#include <vector>

#include "analyzer/summary/call_path_labels.hpp"

namespace waitdiag {
namespace {

// Time of an average rank by slot, without waiting.
std::vector<double> average_times(const Trace& trace, const Diagnosis& found) {
  const auto& [activities, profile] = found.compared();
  std::vector<double> times(activities.slots(), 0);
  for (const ProfileEntry& entry : profile.entries)
    times[activities.slot(entry.call_path)] += entry.nanoseconds;
  for (const WaitState& wait : found.states.waits)
    times[activities.slot(trace.call_path(wait.victim))] -= static_cast<double>(wait.wait.count());
  for (double& time : times) time /= static_cast<double>(trace.ranks());
  return times;
}

// Equal parts of the run, each with the rank that the path is on for longest.
std::vector<Report::CriticalPath::Stretch> over_time(const Trace& trace, const CriticalPath& path) {
  constexpr std::int64_t kParts = 50;
  const Duration run = trace.end() - trace.begin();
  std::vector<std::map<Rank, Duration>> parts(kParts);
  const auto begin_of = [&](std::int64_t part) { return trace.begin() + run / kParts * part; };
  const auto end_of = [&](std::int64_t part) {
    return part + 1 == kParts ? trace.end() : begin_of(part + 1);
  };
  for (const CriticalPath::Stretch& stretch : path.stretches) {
    const Duration length = std::max(run / kParts, Duration(1));
    auto part = std::clamp<std::int64_t>((stretch.begin - trace.begin()) / length, 0, kParts - 1);
    for (; part < kParts && begin_of(part) < stretch.end; ++part) {
      const Duration inside = std::min(stretch.end, end_of(part)) - std::max(stretch.begin, begin_of(part));
      if (inside > Duration::zero())
        parts[static_cast<std::size_t>(part)][trace.rank(stretch.location)] += inside;
    }
  }
  std::vector<Report::CriticalPath::Stretch> rows;
  for (std::int64_t part = 0; part < kParts; ++part) {
    const auto& ranks = parts[static_cast<std::size_t>(part)];
    const auto most = std::max_element(ranks.begin(), ranks.end(),
                                       [](const auto& a, const auto& b) { return a.second < b.second; });
    if (most == ranks.end()) continue;
    rows.push_back({seconds(begin_of(part) - trace.begin()), seconds(end_of(part) - trace.begin()),
                    static_cast<std::int64_t>(most->first),
                    seconds(most->second) / seconds(end_of(part) - begin_of(part))});
  }
  return rows;
}

// Names may be long and many: only those that are listed are made.
void add_call_paths(const Trace& trace, const Diagnosis& found, Report::CriticalPath& rows) {
  const std::vector<double>& on_path = found.what_if.path.by_slot;
  const std::vector<double> average = average_times(trace, found);
  std::vector<std::size_t> slots;
  for (std::size_t slot = 0; slot < on_path.size(); ++slot)
    if (on_path[slot] > 0) slots.push_back(slot);
  std::ranges::stable_sort(slots, std::greater<>(), [&](std::size_t slot) { return on_path[slot]; });
  const std::size_t listed = std::min(slots.size(), Report::kMostCallPaths);
  Report::CriticalPath::Entry further{Report::kFurtherCallPaths, Report::kFurtherCallPaths};
  for (std::size_t i = 0; i < slots.size(); ++i) {
    const double on = on_path[slots[i]] / kSecond;
    const double more = std::max(0.0, on_path[slots[i]] - average[slots[i]]) / kSecond;
    if (i < listed) {
      const Activities& activities = found.compared().activities;
      const CallPathLabel label = label_of(trace, activities, activities.call_path(slots[i]));
      rows.by_call_path.push_back({label.call_path, label.function, on, more});
    } else {
      further.seconds += on;
      further.imbalance_s += more;
    }
  }
  if (listed < slots.size()) rows.by_call_path.push_back(std::move(further));
}

}  // namespace

Report::CriticalPath critical_path_rows(const Trace& trace, const Diagnosis& found) {
  const CriticalPath& path = found.what_if.path;
  Report::CriticalPath rows;
  rows.total_s = seconds(path.total);
  if (!path.stretches.empty()) rows.late_start_s = seconds(path.stretches.front().begin - trace.begin());
  add_call_paths(trace, found, rows);
  std::map<Rank, double> by_rank;
  for (std::size_t l = 0; l < path.by_location.size(); ++l)
    by_rank[trace.rank(Location(l))] += path.by_location[l];
  for (const auto& [rank, nanoseconds] : by_rank)
    if (nanoseconds > 0) rows.by_rank.push_back({static_cast<std::int64_t>(rank), nanoseconds / kSecond});
  rows.over_time = over_time(trace, path);
  rows.changes = path.stretches.empty() ? 0 : path.stretches.size() - 1;
  return rows;
}

}  // namespace waitdiag

// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/scaling/profiles.hpp"

#include <algorithm>
#include <vector>

#include "analyzer/delay/activities.hpp"
#include "libwaitprof/schema/schema.hpp"

namespace waitdiag {
namespace {

// Seconds by place of the call path.
std::vector<double> times_of(const Trace& trace, const Activities& activities, Location location) {
  std::vector<double> times(activities.slots());
  const Timeline& timeline = trace.timeline(location);
  for (std::uint32_t op = 0; op < timeline.size(); ++op)
    times[activities.slot(timeline.call_path(op))] += seconds(timeline.length(op));
  for (std::size_t gap = 0; gap < timeline.gaps(); ++gap)
    activities.for_each_in_gap(location, gap, [&](ActivityId activity, Duration time) {
      if (activities.is_exact(activity)) {
        times[index(activity)] += seconds(time);
        return;
      }
      for (const Share& share : activities.shares(activity))
        times[activities.slot(share.call_path)] += share.share * seconds(time);
    });
  return times;
}

}  // namespace

RunProfile profile_run(const Trace& trace, const std::string& source) {
  const Activities activities(trace);
  RunProfile profile{.source = source,
                     .program = trace.facts().program,
                     .ranks = trace.ranks(),
                     .runtime_s = seconds(trace.end() - trace.begin())};
  const auto problem = trace.facts().properties.find(waitprof::schema::kProblem);
  if (problem != trace.facts().properties.end()) profile.problem = problem->second;
  std::vector<RunProfile::Entry> entries(activities.slots());
  for (std::size_t rank = 0; rank < trace.ranks(); ++rank) {
    const std::vector<double> times = times_of(trace, activities, trace.main_location(Rank(rank)));
    for (std::size_t slot = 0; slot < times.size(); ++slot) {
      entries[slot].mean_s += times[slot] / static_cast<double>(trace.ranks());
      entries[slot].most_s = std::max(entries[slot].most_s, times[slot]);
    }
  }
  for (std::size_t slot = 0; slot < entries.size(); ++slot) {
    if (entries[slot].most_s <= 0) continue;
    const CallPathId path = activities.call_path(slot);
    RunProfile::Entry& entry =
        profile.call_paths[path == kNoCallPath ? "(outside of known functions)" : trace.call_path_name(path)];
    entry.mean_s += entries[slot].mean_s;
    entry.most_s = std::max(entry.most_s, entries[slot].most_s);
    entry.communication = path != kNoCallPath && trace.region(path).mpi();
  }
  return profile;
}

}  // namespace waitdiag

// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/scaling/laws/profiles.hpp"

#include <algorithm>
#include <vector>

#include "analyzer/diagnosis/activities/activities.hpp"
#include "analyzer/trace/model/trace_error.hpp"
#include "libwaitprof/schema/schema.hpp"

namespace waitdiag {
namespace {

// The first call after MPI_Init; 0 if the trace has none.
std::uint32_t first_call(const Trace& trace, const Timeline& timeline) {
  for (std::uint32_t op = 0; op < timeline.size(); ++op)
    if (trace.region(timeline.call_path(op)).kind == CallKind::Init) return op + 1;
  return 0;
}

// Seconds by place of the call path.
std::vector<double> times_of(const Trace& trace, const Activities& activities, Location location) {
  std::vector<double> times(activities.slots());
  const Timeline& timeline = trace.timeline(location);
  const std::uint32_t first = first_call(trace, timeline);
  for (std::uint32_t op = first; op < timeline.size(); ++op)
    times[activities.slot(timeline.call_path(op))] += seconds(timeline.length(op));
  for (std::size_t gap = first; gap < timeline.gaps(); ++gap)
    activities.for_each_in_gap(location, gap, [&](ActivityId activity, Duration time) {
      if (activities.is_exact(activity)) {
        times[index(activity)] += seconds(time);
        return;
      }
      for (const Share& share : activities.shares(activity))
        times[activities.slot(share.call_path)] += share.share() * seconds(time);
    });
  return times;
}

}  // namespace

double starting_s(const Trace& trace) {
  Time started = trace.begin();
  for (const Timeline& timeline : trace.timelines())
    if (const std::uint32_t first = first_call(trace, timeline); first > 0)
      started = std::max(started, timeline.gap_begin(first));
  return seconds(started - trace.begin());
}

void need_whole_run(const Trace& trace, const std::string& source) {
  if (trace.facts().excerpts)
    throw TraceError(source +
                     " has excerpts of a run only (WAITPROF_PROFILE=light): how times grow takes whole runs; "
                     "record it with WAITPROF_PROFILE=full");
}

RunProfile profile_run(const Trace& trace, const std::string& source) {
  need_whole_run(trace, source);
  const Activities activities(trace);
  RunProfile profile{.source = source,
                     .program = trace.facts().program,
                     .ranks = trace.ranks(),
                     .runtime_s = seconds(trace.end() - trace.begin()) - starting_s(trace),
                     .startup_s = starting_s(trace)};
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
    entry.communication = path != kNoCallPath && trace.region(path).operation();
  }
  return profile;
}

}  // namespace waitdiag

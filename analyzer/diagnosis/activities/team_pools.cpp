// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/diagnosis/activities/team_pools.hpp"

#include <map>
#include <set>
#include <utility>

#include "analyzer/diagnosis/activities/call_tree_paths.hpp"

namespace waitdiag {
namespace {

constexpr double kGoodPart = 0.15;  // more than a gain may be wrong by

std::set<CallPathId> openers(const Trace& trace) {
  std::set<CallPathId> found;
  for (const Timeline& timeline : trace.timelines())
    for (const ParallelTotal& total : timeline.parallel()) found.insert(trace.without_sites(total.call_path));
  return found;
}

bool waits_for_threads(const Trace& trace, CallPathId path) {
  if (trace.region(path).off()) path = trace.call_paths()[index(path)].parent;
  return path != kNoCallPath && trace.region(path).library &&
         trace.region(path).waits_for() == WaitedFor::Threads;
}

// By call path: who opened the outermost team that executes it; kNoCallPath: it is in none. What else the function does
// that opens a team is not the team's.
std::vector<CallPathId> teams_around(const Trace& trace, const std::set<CallPathId>& openers) {
  std::vector<CallPathId> around;           // callers come before what they call
  std::map<RegionId, CallPathId> executes;  // which team; kNoCallPath: several
  for (std::uint32_t i = 0; i < trace.call_paths().size(); ++i) {
    const CallPathId path{i}, parent = trace.call_paths()[i].parent;
    const Region& region = trace.region(path);
    CallPathId team = parent == kNoCallPath || region.operation() ? kNoCallPath : around[index(parent)];
    if (team == kNoCallPath && (is_outlined(region) || waits_for_threads(trace, path))) {
      const CallPathId caller = trace.without_sites(caller_outside_libraries(trace, path));
      if (openers.contains(caller)) team = caller;
      if (team != kNoCallPath && is_outlined(region)) {
        const auto known = executes.emplace(trace.call_paths()[i].region, team);
        if (known.first->second != team) known.first->second = kNoCallPath;
      }
    }
    around.push_back(team);
  }
  // In the other threads, too: what holds a lock there makes the one that opened the team wait.
  for (std::uint32_t i = 0; i < around.size(); ++i) {
    const CallPathId path{i}, parent = trace.call_paths()[i].parent;
    if (around[i] != kNoCallPath || trace.region(path).operation()) continue;
    const auto known = executes.find(trace.call_paths()[i].region);
    if (known != executes.end() && caller_outside_libraries(trace, path) == kNoCallPath)
      around[i] = known->second;
    else if (parent != kNoCallPath)
      around[i] = around[index(parent)];
  }
  return around;
}

}  // namespace

void pool_teams(const Trace& trace, const Profile& profile, double threshold,
                std::vector<CallPathId>& instead) {
  const std::set<CallPathId> opened_by = openers(trace);
  if (opened_by.empty()) return;
  const std::vector<CallPathId> around = teams_around(trace, opened_by);
  struct Times {
    double all = 0, waiting = 0;
  };
  std::map<std::pair<CallPathId, Location>, Times> times;
  for (const ProfileEntry& entry : profile.entries) {
    if (entry.call_path == kNoCallPath || around[index(entry.call_path)] == kNoCallPath) continue;
    Times& of_team = times[{around[index(entry.call_path)], entry.location}];
    of_team.all += entry.nanoseconds;
    if (waits_for_threads(trace, entry.call_path)) of_team.waiting += entry.nanoseconds;
  }
  std::set<CallPathId> pooled;
  for (const auto& [where, time] : times)
    if (time.waiting > kGoodPart * time.all &&
        time.all > threshold * profile.by_location[index(where.second)])
      pooled.insert(where.first);
  for (std::size_t i = 0; i < instead.size(); ++i)
    if (pooled.contains(around[i])) instead[i] = around[i];
}

}  // namespace waitdiag

// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/diagnosis/activities/function_pools.hpp"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

#include "analyzer/diagnosis/activities/call_tree_paths.hpp"
#include "analyzer/diagnosis/activities/team_pools.hpp"

namespace waitdiag {
namespace {

constexpr double kNearlyAll = 0.9;  // of the time for which a function is known to be blocked

// For disks and sleep it does not matter which function of a library waited.
bool is_one_for_all_calls(WaitedFor what) {
  return what == WaitedFor::Io || what == WaitedFor::Sleep;
}

struct Blocked {
  CallPathId longest = kNoCallPath;
  double longest_time = 0, time = 0;
  std::vector<CallPathId> paths{};
};
// By what it waited for, and the function of a library where that matters.
using BlockedFor = std::map<std::pair<std::size_t, RegionId>, Blocked>;

struct BlockedCode {
  BlockedFor known{};
  std::vector<CallPathId> unknown{};  // it is not known in which call
};

// Which other path stands for a call path, by call path: all where one function is blocked for the same.
std::vector<CallPathId> blocked_pools(const Trace& trace, const Profile& profile) {
  std::map<CallPathId, BlockedCode> blocked;  // by function that calls
  for (auto entry = profile.entries.begin(); entry != profile.entries.end();) {
    const CallPathId path = entry->call_path;
    double time = 0;
    for (; entry != profile.entries.end() && entry->call_path == path; ++entry) time += entry->nanoseconds;
    if (path == kNoCallPath || trace.region(path).off() != OffReason::Blocked) continue;
    const CallPathId call = trace.call_paths()[index(path)].parent;
    const CallPathId code = code_of(trace, path);
    if (code == kNoCallPath) continue;
    if (code == call) {
      if (trace.region(path).name == kBlockedRegion) blocked[code].unknown.push_back(path);
      continue;
    }
    const auto what = trace.waited_for(path);
    const bool one = what && is_one_for_all_calls(*what);
    const std::size_t number = what ? static_cast<std::size_t>(*what) : std::size(kWaitedForWords);
    Blocked& same = blocked[code].known[{number, one ? kNoRegion : trace.call_paths()[index(call)].region}];
    if (time > same.longest_time) std::tie(same.longest, same.longest_time) = std::pair(path, time);
    same.time += time;
    same.paths.push_back(path);
  }
  std::vector<CallPathId> instead;
  for (std::uint32_t i = 0; i < trace.call_paths().size(); ++i)
    instead.push_back(as_written(trace, trace.without_sites(CallPathId{i})));
  const auto pool = [&](const std::vector<CallPathId>& paths, CallPathId as) {
    for (const CallPathId path : paths) instead[index(path)] = as;
  };
  for (const auto& [code, one] : blocked) {
    double known = 0;
    const Blocked* most = nullptr;
    for (const auto& [what, same] : one.known) {
      if (same.longest == kNoCallPath) continue;
      pool(same.paths, same.longest);
      known += same.time;
      if (most == nullptr || same.time > most->time) most = &same;
    }
    if (most != nullptr && most->time >= kNearlyAll * known) pool(one.unknown, most->longest);
  }
  for (CallPathId& path : instead) path = instead[index(trace.without_sites(path))];
  return instead;
}

// What the call paths of small activities are pooled by.
using Function = std::pair<RegionId, RegionId>;

Function function_of(const Trace& trace, CallPathId path) {
  const RegionId last = trace.call_paths()[index(path)].region;
  const CallPathId code = code_of(trace, path);
  return {code == kNoCallPath ? last : trace.call_paths()[index(code)].region, last};
}

}  // namespace

std::vector<CallPathId> function_pools(const Trace& trace, const Profile& profile,
                                       const Activities& activities, double threshold) {
  std::vector<CallPathId> instead = blocked_pools(trace, profile);
  pool_teams(trace, profile, threshold, instead);
  const Activities blocked = activities.pooled(instead);
  const Profile times = pooled(profile, blocked);
  const std::vector<bool> hot = hotspots(times, blocked, threshold);
  const auto is_small = [&](CallPathId path) { return path != kNoCallPath && !hot[blocked.slot(path)]; };
  std::map<std::pair<Function, Location>, double> by_function;
  for (const ProfileEntry& entry : times.entries)
    if (is_small(entry.call_path))
      by_function[{function_of(trace, entry.call_path), entry.location}] += entry.nanoseconds;
  std::map<Function, CallPathId> first;  // by function to be pooled
  for (const auto& [where, time] : by_function)
    if (time > threshold * times.by_location[index(where.second)]) first.emplace(where.first, kNoCallPath);
  for (CallPathId& path : instead) {
    const auto pool = first.find(function_of(trace, path));
    if (pool == first.end() || !is_small(path)) continue;
    if (pool->second == kNoCallPath) pool->second = path;
    path = pool->second;
  }
  const bool any = std::ranges::any_of(profile.entries, [&](const ProfileEntry& entry) {
    return entry.call_path != kNoCallPath && instead[index(entry.call_path)] != entry.call_path;
  });
  return any ? instead : std::vector<CallPathId>();
}

}  // namespace waitdiag

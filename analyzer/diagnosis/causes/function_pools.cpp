// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/diagnosis/causes/function_pools.hpp"

#include <map>
#include <utility>

namespace waitdiag {

std::vector<CallPathId> function_pools(const Trace& trace, const Profile& profile,
                                       const Activities& activities, double threshold) {
  const std::vector<bool> hot = hotspots(profile, activities, threshold);
  const auto is_small = [&](CallPathId path) { return path != kNoCallPath && !hot[activities.slot(path)]; };
  std::map<std::pair<RegionId, Location>, double> times;
  for (const ProfileEntry& entry : profile.entries)
    if (is_small(entry.call_path))
      times[{trace.call_paths()[index(entry.call_path)].region, entry.location}] += entry.nanoseconds;
  std::map<RegionId, CallPathId> first;  // by function to be pooled
  for (const auto& [where, time] : times)
    if (time > threshold * profile.by_location[index(where.second)]) first.emplace(where.first, kNoCallPath);
  if (first.empty()) return {};
  std::vector<CallPathId> instead;
  for (std::uint32_t i = 0; i < trace.call_paths().size(); ++i) {
    const CallPathId path = trace.without_sites(CallPathId{i});
    const auto pool = first.find(trace.call_paths()[index(path)].region);
    if (pool == first.end() || !is_small(path)) {
      instead.push_back(path);
      continue;
    }
    if (pool->second == kNoCallPath) pool->second = path;
    instead.push_back(pool->second);
  }
  return instead;
}

}  // namespace waitdiag

// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/diagnosis/activities/profile.hpp"

#include <algorithm>
#include <tuple>
#include <utility>

#include "analyzer/diagnosis/activities/sparse_sums.hpp"
#include "analyzer/trace/parallel/parallel.hpp"
#include "analyzer/trace/parallel/pool.hpp"
#include "analyzer/trace/sync/parts_of_call.hpp"

namespace waitdiag {
namespace {

bool by_call_path(const ProfileEntry& a, const ProfileEntry& b) {
  return std::tie(a.call_path, a.location) < std::tie(b.call_path, b.location);
}

struct SlotSums {
  SparseSums<double> time;
  SparseSums<std::uint64_t> visits;
  explicit SlotSums(std::size_t slots) : time(slots), visits(slots) {}
};

// `sums` is empty before and after.
Profile profile_of(const Trace& trace, const Activities& activities, const StalledCalls& stalled,
                   Location location, SlotSums& sums) {
  Profile result;
  const Timeline& timeline = trace.timeline(location);
  const auto add_activity = [&](ActivityId activity, Duration time) {
    const auto nanoseconds = static_cast<double>(time.count());
    if (activities.is_exact(activity)) {
      sums.time.add(index(activity), nanoseconds);
      return;
    }
    if (!activities.is_sampled(activity)) {
      result.unsampled_nanoseconds += nanoseconds;
      ++result.unsampled_stretches;
    }
    for (const Share& share : activities.shares(activity)) {
      sums.time.add(activities.slot(share.call_path), share.share() * nanoseconds);
    }
  };
  for (std::size_t gap = 0; gap < timeline.gaps(); ++gap) {
    activities.for_each_in_gap(location, gap, add_activity);
    for (const ComputationPiece& piece : timeline.pieces(gap))
      if (piece.visits > 0) sums.visits.add(activities.slot(piece.call_path), piece.visits);
  }
  const PartsOfCalls parts(trace, location);
  Duration absent{};  // of any thread
  for (std::uint32_t op = 0; op < timeline.size(); ++op) {
    if (!timeline.lives().empty() && trace.region(timeline.call_path(op)).name == kNoThreadRegion) {
      absent += timeline.length(op);
      continue;
    }
    const std::size_t slot = activities.slot(timeline.call_path(op));
    sums.time.add(slot, static_cast<double>(timeline.length(op).count()));
    if (!parts.goes_on(op)) sums.visits.add(slot, 1);
  }
  const std::size_t taken_away = activities.slot(stalled.taken_path());
  const auto calls = static_cast<std::uint32_t>(timeline.size());
  for (const StalledCalls::Stall& stall : stalled.of(location, 0, calls)) {
    if (stall.time.taken <= Duration::zero()) continue;
    const auto taken = static_cast<double>(stall.time.taken.count());
    sums.time.add(activities.slot(timeline.call_path(stall.op)), -taken);
    sums.time.add(taken_away, taken);
    sums.visits.add(taken_away, 1);
  }
  for (const std::uint32_t slot : sums.time.keys())
    result.entries.push_back({activities.call_path(slot), location, sums.time[slot], sums.visits[slot]});
  sums.time.clear();
  sums.visits.clear();
  result.by_location.push_back(static_cast<double>((timeline.end() - timeline.begin() - absent).count()));
  result.total_nanoseconds = result.by_location.back();
  return result;
}

}  // namespace

Profile profile(const Trace& trace, const Activities& activities, const StalledCalls& stalled) {
  std::vector<Profile> parts(trace.timelines().size());
  Pool<SlotSums> pool([&] { return std::make_unique<SlotSums>(activities.slots()); });
  for_each_index(parts.size(), [&](std::size_t l) {
    pool.with([&](SlotSums& sums) { parts[l] = profile_of(trace, activities, stalled, Location(l), sums); });
  });
  Profile result;
  for (const Profile& part : parts) {
    result.entries.insert(result.entries.end(), part.entries.begin(), part.entries.end());
    result.by_location.push_back(part.total_nanoseconds);
    result.total_nanoseconds += part.total_nanoseconds;
    result.unsampled_nanoseconds += part.unsampled_nanoseconds;
    result.unsampled_stretches += part.unsampled_stretches;
  }
  std::sort(result.entries.begin(), result.entries.end(), by_call_path);
  return result;
}

Profile pooled(const Profile& profile, const Activities& activities) {
  Profile result = profile;
  for (ProfileEntry& entry : result.entries)
    entry.call_path = activities.call_path(activities.slot(entry.call_path));
  std::stable_sort(result.entries.begin(), result.entries.end(), by_call_path);
  std::vector<ProfileEntry> sums;
  for (const ProfileEntry& entry : result.entries) {
    if (sums.empty() || by_call_path(sums.back(), entry)) {
      sums.push_back(entry);
      continue;
    }
    sums.back().nanoseconds += entry.nanoseconds;
    sums.back().visits += entry.visits;
  }
  result.entries = std::move(sums);
  return result;
}

std::vector<bool> hotspots(const Profile& profile, const Activities& activities, double threshold) {
  std::vector<bool> result(activities.slots(), false);
  for (const ProfileEntry& entry : profile.entries) {
    if (entry.nanoseconds > threshold * profile.by_location[index(entry.location)])
      result[activities.slot(entry.call_path)] = true;
  }
  return result;
}

}  // namespace waitdiag

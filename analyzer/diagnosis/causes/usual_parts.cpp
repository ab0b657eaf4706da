// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/diagnosis/causes/usual_parts.hpp"

#include <algorithm>
#include <span>

namespace waitdiag {
namespace {

constexpr std::size_t kMostParts = 4'000'000;  // of all call paths and locations; of more, none is known
constexpr double kRunsIt = 0.05;               // of the longest time: less is noise

// The lower median of those that run it; 0: there is one only.
double usual_time(std::span<const ProfileEntry> entries) {
  double most = 0;
  for (const ProfileEntry& entry : entries) most = std::max(most, entry.nanoseconds);
  std::vector<double> times;
  for (const ProfileEntry& entry : entries)
    if (entry.nanoseconds > kRunsIt * most) times.push_back(entry.nanoseconds);
  if (times.size() < 2) return 0;
  const auto middle = times.begin() + static_cast<std::ptrdiff_t>((times.size() - 1) / 2);
  std::ranges::nth_element(times, middle);
  return *middle;
}

}  // namespace

UsualParts::UsualParts(const Profile& profile, const Activities& activities)
    : locations_(profile.by_location.size()) {
  if (activities.slots() * locations_ > kMostParts) return;
  parts_.assign(activities.slots() * locations_, 1);
  const std::span entries(profile.entries);
  for (std::size_t first = 0, last = 0; first < entries.size(); first = last) {
    while (last < entries.size() && entries[last].call_path == entries[first].call_path) ++last;
    const auto of_path = entries.subspan(first, last - first);
    const double usual = usual_time(of_path);
    const std::size_t slot = activities.slot(of_path.front().call_path);
    for (const ProfileEntry& entry : of_path)
      if (entry.nanoseconds > usual)
        parts_[slot * locations_ + index(entry.location)] = static_cast<float>(usual / entry.nanoseconds);
  }
}

}  // namespace waitdiag

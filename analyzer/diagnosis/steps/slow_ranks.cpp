// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/diagnosis/steps/slow_ranks.hpp"

#include <algorithm>
#include <cmath>

namespace waitdiag {
namespace {

constexpr double kAnyWeight = 0.01;  // of the computation
constexpr double kSlowerThanOthers = 1.1;
constexpr double kAlikeSlow = 1.5;  // between the least and the most slowed call path
constexpr double kSameCount = 0.05;

double lower_median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>((values.size() - 1) / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

// One call path on all ranks.
struct OnRanks {
  CallPathId call_path = kNoCallPath;
  std::vector<double> time, visits;
  double sum = 0;
  bool visits_known = false;
};

std::vector<OnRanks> computation(const Trace& trace, const Profile& profile) {
  std::vector<OnRanks> result;
  CallPathId last = kNoCallPath;
  for (const ProfileEntry& entry : profile.entries) {
    if (entry.call_path == kNoCallPath) continue;
    const Region& region = trace.region(entry.call_path);
    if (region.kind != CallKind::Computation || region.off()) continue;
    if (result.empty() || entry.call_path != last) {
      const std::vector<double> none(trace.ranks(), 0.0);
      result.push_back({entry.call_path, none, none, 0, false});
    }
    last = entry.call_path;
    OnRanks& path = result.back();
    const std::size_t rank = index(trace.rank(entry.location));
    path.time[rank] += entry.nanoseconds;
    path.visits[rank] += static_cast<double>(entry.visits);
    path.sum += entry.nanoseconds;
    path.visits_known = path.visits_known || entry.visits > 0;
  }
  return result;
}

bool is_called_from(const Trace& trace, CallPathId path, CallPathId function) {
  while ((path = trace.call_paths()[index(path)].parent) != kNoCallPath)
    if (trace.call_paths()[index(path)].region == trace.call_paths()[index(function)].region) return true;
  return false;
}

// One slow function is just that, and so is one that another one calls, or that is called in several places.
bool any_two_are_independent(const Trace& trace, const std::vector<OnRanks>& paths) {
  for (auto one = paths.begin(); one != paths.end(); ++one)
    for (auto other = one + 1; other != paths.end(); ++other)
      if (trace.call_paths()[index(one->call_path)].region !=
              trace.call_paths()[index(other->call_path)].region &&
          !is_called_from(trace, one->call_path, other->call_path) &&
          !is_called_from(trace, other->call_path, one->call_path))
        return true;
  return false;
}

}  // namespace

std::vector<double> slowness_of_ranks(const Trace& trace, const Profile& profile) {
  std::vector<OnRanks> paths = computation(trace, profile);
  double all = 0;
  for (const OnRanks& path : paths) all += path.sum;
  paths.erase(std::remove_if(paths.begin(), paths.end(),
                             [&](const OnRanks& path) { return path.sum < kAnyWeight * all; }),
              paths.end());
  std::vector<double> result(trace.ranks(), 1.0);
  if (trace.ranks() < 2 || !any_two_are_independent(trace, paths)) return result;
  std::vector<double> middle, count;
  double middle_sum = 0;
  for (const OnRanks& path : paths) {
    middle.push_back(lower_median(path.time));
    count.push_back(lower_median(path.visits));
    middle_sum += middle.back();
  }
  for (std::size_t rank = 0; rank < result.size(); ++rank) {
    double least = HUGE_VAL, most = 0, sum = 0;
    bool as_often = true;
    for (std::size_t i = 0; i < paths.size(); ++i) {
      const double ratio = middle[i] > 0 ? paths[i].time[rank] / middle[i] : 0;
      least = std::min(least, ratio);
      most = std::max(most, ratio);
      sum += paths[i].time[rank];
      as_often = as_often && (!paths[i].visits_known ||
                              std::abs(paths[i].visits[rank] - count[i]) <= kSameCount * count[i]);
    }
    if (as_often && least >= kSlowerThanOthers && most <= kAlikeSlow * least) result[rank] = sum / middle_sum;
  }
  return result;
}

}  // namespace waitdiag

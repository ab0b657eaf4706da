// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/diagnosis/steps/slow_ranks.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <span>

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
  std::vector<double> time{}, visits{};
  bool visits_known = false;
};

bool is_computation(const Trace& trace, CallPathId call_path) {
  if (call_path == kNoCallPath) return false;
  const Region& region = trace.region(call_path);
  return region.kind == CallKind::Computation && !region.off();
}

// Of the call paths that have some weight: their number does not grow with that of the ranks.
std::vector<OnRanks> computation(const Trace& trace, const Profile& profile) {
  std::vector<std::span<const ProfileEntry>> paths;
  std::vector<double> sums;
  for (auto first = profile.entries.begin(), last = first; first != profile.entries.end(); first = last) {
    double sum = 0;
    for (; last != profile.entries.end() && last->call_path == first->call_path; ++last)
      sum += last->nanoseconds;
    if (!is_computation(trace, first->call_path)) continue;
    paths.emplace_back(first, last);
    sums.push_back(sum);
  }
  const double all = std::accumulate(sums.begin(), sums.end(), 0.0);
  std::vector<OnRanks> result;
  for (std::size_t i = 0; i < paths.size(); ++i) {
    if (sums[i] < kAnyWeight * all) continue;
    const std::vector<double> none(trace.ranks(), 0.0);
    OnRanks& path =
        result.emplace_back(OnRanks{.call_path = paths[i].front().call_path, .time = none, .visits = none});
    for (const ProfileEntry& entry : paths[i]) {
      const std::size_t rank = index(trace.rank(entry.location));
      path.time[rank] += entry.nanoseconds;
      path.visits[rank] += static_cast<double>(entry.visits);
      path.visits_known = path.visits_known || entry.visits > 0;
    }
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
  const std::vector<OnRanks> paths = computation(trace, profile);
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

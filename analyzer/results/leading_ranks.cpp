// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/results/leading_ranks.hpp"

#include <algorithm>
#include <functional>
#include <utility>

#include "analyzer/results/rank_groups.hpp"

namespace waitdiag {
namespace {

std::vector<Report::ByRank> heaviest_first(const std::vector<Report::ByRank>& list) {
  std::vector<Report::ByRank> by_rank = listed_ranks(list);
  std::ranges::stable_sort(by_rank, std::ranges::greater(), &Report::ByRank::seconds);
  return by_rank;
}

double waiting_of_all(const std::vector<Report::ByRank>& by_rank) {
  double total = 0;
  for (const Report::ByRank& entry : by_rank) total += entry.seconds;
  return total;
}

// How many of them lead, heaviest first.
std::size_t leading_of(const std::vector<Report::ByRank>& sorted) {
  constexpr double kLeadingPart = 0.9;
  constexpr double kAlike = 0.5;  // a rank half as heavy as the last leading one belongs to the same picture
  const double total = waiting_of_all(sorted);
  double sum = 0, smallest = 0;
  for (std::size_t i = 0; i < sorted.size(); ++i) {
    const double seconds = sorted[i].seconds;
    if (seconds <= 0 || (sum >= kLeadingPart * total && seconds < kAlike * smallest)) return i;
    if (sum < kLeadingPart * total) smallest = seconds;
    sum += seconds;
  }
  return sorted.size();
}

}  // namespace

std::vector<std::int64_t> leading_ranks(const std::vector<Report::ByRank>& by_rank) {
  const std::vector<Report::ByRank> sorted = heaviest_first(by_rank);
  std::vector<std::int64_t> ranks;
  for (std::size_t i = 0, leading = leading_of(sorted); i < leading; ++i) ranks.push_back(sorted[i].rank);
  std::sort(ranks.begin(), ranks.end());
  return ranks;
}

DominantRanks dominant_ranks(const std::vector<Report::ByRank>& by_rank) {
  constexpr double kMost = 0.5, kTower = 2.5;  // kTower: times the value of the next rank
  std::vector<Report::ByRank> sorted = heaviest_first(by_rank);
  const std::size_t leading = leading_of(sorted);
  const double total = waiting_of_all(sorted);
  DominantRanks result;
  double sum = 0;
  std::stable_partition(sorted.begin(), sorted.begin() + static_cast<std::ptrdiff_t>(leading),
                        [](const Report::ByRank& entry) { return !entry.in_time; });
  for (std::size_t i = 0; i + 1 < leading; ++i) {
    sum += sorted[i].seconds;
    result.ranks.push_back(sorted[i].rank);
    const Report::ByRank& next = sorted[i + 1];
    const bool towers = sorted[i].seconds >= kTower * next.seconds, is_most = sum >= kMost * total;
    const bool are_all_late = next.in_time && !sorted[i].in_time;
    if (int{is_most} + int{towers} + int{are_all_late} < 2) continue;
    result.share = sum / total;
    std::ranges::sort(result.ranks);
    return result;
  }
  return {};
}

std::vector<std::int64_t> named_ranks(const std::vector<Report::ByRank>& by_rank) {
  DominantRanks dominant = dominant_ranks(by_rank);
  return dominant.ranks.empty() ? leading_ranks(by_rank) : std::move(dominant.ranks);
}

}  // namespace waitdiag

// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/results/leading_ranks.hpp"

#include <algorithm>

namespace waitdiag {

std::vector<std::int64_t> leading_ranks(const std::vector<Report::ByRank>& by_rank) {
  constexpr double kLeadingPart = 0.9;
  constexpr double kAlike = 0.5;  // a rank half as heavy as the last leading one belongs to the same picture
  std::vector<Report::ByRank> sorted = by_rank;
  std::stable_sort(sorted.begin(), sorted.end(),
                   [](const Report::ByRank& a, const Report::ByRank& b) { return a.seconds > b.seconds; });
  double total = 0;
  for (const Report::ByRank& entry : sorted) total += entry.seconds;
  std::vector<std::int64_t> ranks;
  double sum = 0, smallest = 0;
  for (const Report::ByRank& entry : sorted) {
    if (entry.seconds <= 0 || (sum >= kLeadingPart * total && entry.seconds < kAlike * smallest)) break;
    if (sum < kLeadingPart * total) smallest = entry.seconds;
    sum += entry.seconds;
    ranks.push_back(entry.rank);
  }
  std::sort(ranks.begin(), ranks.end());
  return ranks;
}

}  // namespace waitdiag

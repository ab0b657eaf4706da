// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/summary/repaired_ranks.hpp"

#include <algorithm>
#include <cmath>
#include <functional>

#include "analyzer/results/leading_ranks.hpp"
#include "analyzer/wording/labels.hpp"

namespace waitdiag {
namespace {

constexpr double kAlike = 0.1;  // the difference, relative to the average loss of those that were waited for

std::vector<double> saved_by_rank(const Trace& trace, const Change& repair) {
  std::vector<double> saved(trace.ranks());
  for (std::uint32_t l = 0; l < repair.savings.size(); ++l)
    for (const Saving& saving : repair.savings[l])
      saved[index(trace.rank(Location(l)))] += static_cast<double>(saving.time.count());
  return saved;
}

}  // namespace

void share_with_repaired_ranks(const Trace& trace, const Change& repair, Report::Cause& cause) {
  const std::vector<double> saved = saved_by_rank(trace, repair);
  const std::vector<std::int64_t> leading = leading_ranks(cause.ranks);
  const auto is_leading = [&](std::int64_t rank) { return std::ranges::binary_search(leading, rank); };
  double of_leading = 0;
  for (const std::int64_t rank : leading) of_leading += saved[static_cast<std::size_t>(rank)];
  std::vector<std::int64_t> ranks = leading;
  for (std::size_t rank = 0; rank < saved.size(); ++rank) {
    const double lost = saved[rank] * static_cast<double>(leading.size());
    const bool as_late = lost > 0 && std::abs(lost - of_leading) <= kAlike * of_leading;
    if (as_late && !is_leading(static_cast<std::int64_t>(rank)))
      ranks.push_back(static_cast<std::int64_t>(rank));
  }
  if (ranks.size() == leading.size() || of_leading <= 0) return;
  double charged = 0, all_saved = 0;
  for (const Report::ByRank& entry : cause.ranks) charged += is_leading(entry.rank) ? entry.seconds : 0;
  for (const std::int64_t rank : ranks) all_saved += saved[static_cast<std::size_t>(rank)];
  std::erase_if(cause.ranks,
                [&](const Report::ByRank& entry) { return std::ranges::count(ranks, entry.rank) > 0; });
  for (const std::int64_t rank : ranks)
    cause.ranks.push_back({rank, charged * saved[static_cast<std::size_t>(rank)] / all_saved});
  std::ranges::stable_sort(cause.ranks, std::ranges::greater(), &Report::ByRank::seconds);
}

}  // namespace waitdiag

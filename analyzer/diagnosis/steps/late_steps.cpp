// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/diagnosis/steps/late_steps.hpp"

#include <algorithm>
#include <limits>
#include <numeric>
#include <set>

namespace waitdiag {
namespace {

constexpr double kQuiet = 0.2;       // of the excess in late steps: a smaller one in the others is negligible
constexpr double kSomeSteps = 0.75;  // at most, or they need not be told from the others

// By column, how much longer than the average other rank each of these ranks takes at least: noise is below that as
// often as above it, so that it adds up to nothing.
std::vector<double> excess_of(const StepMatrix& matrix, const std::set<std::size_t>& late) {
  std::vector<double> excess(matrix.columns, 0.0);
  const auto others = static_cast<double>(matrix.ranks() - late.size());
  for (std::size_t column = 0; column < matrix.columns; ++column) {
    double least = std::numeric_limits<double>::infinity(), sum = 0;
    for (std::size_t r = 0; r < matrix.ranks(); ++r) {
      const double time = matrix.time[r * matrix.columns + column];
      if (late.contains(r))
        least = std::min(least, time);
      else
        sum += time;
    }
    excess[column] = least - sum / others;
  }
  return excess;
}

// The fewest columns that contain nearly all of the excess, and those like them, if these are not all
// columns: noise in the others is not lateness.
std::vector<std::uint32_t> some_late_columns(const std::vector<double>& excess) {
  std::vector<std::uint32_t> order(excess.size());
  std::iota(order.begin(), order.end(), 0u);
  std::ranges::stable_sort(order, std::ranges::greater(),
                           [&](std::uint32_t column) { return excess[column]; });
  const double usual = order.empty() ? 0 : excess[order[order.size() - 1 - (order.size() - 1) / 4]];
  const double all_excess = std::accumulate(excess.begin(), excess.end(), 0.0);
  const double above = all_excess - usual * static_cast<double>(excess.size());
  std::vector<std::uint32_t> late;
  double late_above = 0, late_excess = 0;
  for (const std::uint32_t column : order) {
    const bool enough = late_above >= kMostOfIt * above;
    if (enough && (late.empty() || excess[column] < kNoticeableExcess * excess[late.back()])) break;
    late.push_back(column);
    late_above += excess[column] - usual;
    late_excess += excess[column];
  }
  const std::size_t others = excess.size() - late.size();
  const bool some = !late.empty() &&
                    static_cast<double>(late.size()) <= kSomeSteps * static_cast<double>(excess.size()) &&
                    (all_excess - late_excess) / static_cast<double>(others) <=
                        kQuiet * late_excess / static_cast<double>(late.size());
  if (!some) late.clear();
  std::ranges::sort(late);
  return late;
}

// The common distance between neighbours; 0: it differs.
std::uint32_t distance_of(const std::vector<std::uint32_t>& ascending) {
  const std::uint32_t distance = ascending.size() > 1 ? ascending[1] - ascending[0] : 1;
  for (std::size_t i = 1; i < ascending.size(); ++i)
    if (ascending[i] - ascending[i - 1] != distance) return 0;
  return distance;
}

std::vector<std::uint32_t> some_late_columns(const StepMatrix& matrix,
                                             const std::vector<std::size_t>& late_ranks) {
  const std::set<std::size_t> late(late_ranks.begin(), late_ranks.end());
  const bool some_ranks = !late.empty() && late.size() < matrix.ranks();
  return some_late_columns(some_ranks ? excess_of(matrix, late) : excess_by_column(matrix));
}

}  // namespace

std::vector<double> excess_by_column(const StepMatrix& matrix) {
  std::vector<double> excess(matrix.columns, 0.0);
  for (std::size_t column = 0; column < matrix.columns; ++column) {
    double most = 0, sum = 0;
    for (std::size_t r = 0; r < matrix.ranks(); ++r) {
      most = std::max(most, matrix.time[r * matrix.columns + column]);
      sum += matrix.time[r * matrix.columns + column];
    }
    excess[column] = most - sum / static_cast<double>(matrix.ranks());
  }
  return excess;
}

bool are_late_together(const StepMatrix& matrix, const std::vector<std::size_t>& late_ranks) {
  if (late_ranks.empty() || late_ranks.size() >= matrix.ranks()) return false;
  const std::vector<double> excess = excess_by_column(matrix);
  const std::vector<std::uint32_t> columns = some_late_columns(matrix, late_ranks);
  double late = 0;
  for (const std::uint32_t column : columns) late += excess[column];
  const double others = std::accumulate(excess.begin(), excess.end(), -late);
  return !columns.empty() && others / static_cast<double>(excess.size() - columns.size()) <=
                                 kQuiet * late / static_cast<double>(columns.size());
}

bool begins_at_once(const StepMatrix& matrix, const std::vector<std::size_t>& late_ranks) {
  const std::vector<std::uint32_t> columns = some_late_columns(matrix, late_ranks);
  const std::vector<double> excess = excess_by_column(matrix);
  double early = 0, late = 0;
  for (std::size_t i = 0; i < columns.size() / 2; ++i) {
    early += excess[columns[i]];
    late += excess[columns[columns.size() - 1 - i]];
  }
  return early > 0 && late < kGrowthMatters * early;
}

LateSteps late_steps(const CallPathSpread& spread, const std::vector<std::size_t>& late_ranks) {
  const std::vector<std::uint32_t> columns = some_late_columns(spread.overview, late_ranks),
                                   single = some_late_columns(spread.close_up, late_ranks);
  const StepMatrix& all = spread.overview;
  if (single.size() >= kFewestSteps && distance_of(single) > 1)
    return {spread.close_up.first_step + single.front(),
            spread.close_up.first_step + single.back(),
            distance_of(single),
            all.steps,
            {}};
  if (columns.empty()) return {};
  LateSteps late{.of = all.steps};
  for (const std::uint32_t column : columns) {
    const std::uint32_t first = column * all.per_column;
    if (late.ranges.empty() || late.ranges.back().second + 1 != first) late.ranges.emplace_back(first, first);
    late.ranges.back().second = std::min(first + all.per_column, all.steps) - 1;
  }
  late.first = late.ranges.front().first;
  late.last = late.ranges.back().second;
  late.every = late.ranges.size() == 1 ? 1 : 0;
  return late;
}

}  // namespace waitdiag

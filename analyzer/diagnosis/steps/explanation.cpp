// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/diagnosis/steps/explanation.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <set>

#include "analyzer/diagnosis/steps/late_steps.hpp"

namespace waitdiag {
namespace {

constexpr std::size_t kFewestRepeats = 6;  // fewer could be chance
constexpr double kMostlyRanks = 0.5;    // of the variance between ranks persists over the steps: same ranks
constexpr double kSlowlyMoving = 0.25;  // changes of the late rank, by step
constexpr double kWorthAWord = 1.05;    // times longer
constexpr double kAboutAsMuch = 1.1;
constexpr double kLittle = 1.0 / 3.0;  // of a difference
constexpr double kSteadily = 0.8;      // correlation with time
constexpr double kRounding = 1e-20;
constexpr double kMainlySteps = 0.5;  // of a call path's time must lie in steps
constexpr std::size_t kNoCause = static_cast<std::size_t>(-1);

double mean_of(const std::vector<double>& values) {
  return values.empty()
             ? 0
             : std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

// The columns in which some rank is late by more than the usual difference between ranks; the others would
// name a rank at random.
struct LateColumns {
  StepMatrix matrix;
  std::vector<std::size_t> column;  // in the matrix they were taken from
};

LateColumns late_columns(const StepMatrix& all) {
  const std::vector<double> excess = excess_by_column(all);
  const double least = kNoticeableExcess * mean_of(excess);
  LateColumns late{StepMatrix(0, 0, 0, 0), {}};
  for (std::size_t column = 0; column < all.columns; ++column)
    if (excess[column] > 0 && excess[column] >= least) late.column.push_back(column);
  late.matrix = StepMatrix(all.ranks(), 0, static_cast<std::uint32_t>(late.column.size()), all.steps);
  for (std::size_t r = 0; r < all.ranks(); ++r)
    for (std::size_t i = 0; i < late.column.size(); ++i)
      late.matrix.add(r, static_cast<std::uint32_t>(i), all.time[r * all.columns + late.column[i]],
                      all.visits[r * all.columns + late.column[i]]);
  return late;
}

std::optional<double> correlation(const std::vector<double>& x, const std::vector<double>& y) {
  const auto n = static_cast<double>(x.size());
  double mean_x = 0, mean_y = 0, xx = 0, yy = 0, xy = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    mean_x += x[i] / n;
    mean_y += y[i] / n;
  }
  for (std::size_t i = 0; i < x.size(); ++i) {
    xx += (x[i] - mean_x) * (x[i] - mean_x);
    yy += (y[i] - mean_y) * (y[i] - mean_y);
    xy += (x[i] - mean_x) * (y[i] - mean_y);
  }
  const auto constant = [n](double squares, double mean) { return squares <= kRounding * n * mean * mean; };
  if (constant(xx, mean_x) || constant(yy, mean_y)) return std::nullopt;
  return xy / std::sqrt(xx * yy);
}

// How much of the difference between ranks stays the same over all steps (0..1).
double persistent_share(const StepMatrix& matrix) {
  const std::size_t ranks = matrix.ranks();
  std::vector<double> difference = matrix.time;
  for (std::size_t column = 0; column < matrix.columns; ++column) {
    double mean = 0;
    for (std::size_t r = 0; r < ranks; ++r) mean += matrix.time[r * matrix.columns + column];
    mean /= static_cast<double>(ranks);
    for (std::size_t r = 0; r < ranks; ++r) difference[r * matrix.columns + column] -= mean;
  }
  double all = 0, of_ranks = 0;
  for (std::size_t r = 0; r < ranks; ++r) {
    double sum = 0;
    for (std::size_t column = 0; column < matrix.columns; ++column) {
      const double d = difference[r * matrix.columns + column];
      all += d * d;
      sum += d;
    }
    of_ranks += sum * sum / static_cast<double>(matrix.columns);
  }
  return all > 0 ? of_ranks / all : 0;
}

// The rank with the most time in each step.
std::vector<std::size_t> latest_by_step(const StepMatrix& matrix) {
  std::vector<std::size_t> latest(matrix.columns, 0);
  for (std::size_t column = 0; column < matrix.columns; ++column) {
    for (std::size_t r = 1; r < matrix.ranks(); ++r) {
      if (matrix.time[r * matrix.columns + column] > matrix.time[latest[column] * matrix.columns + column])
        latest[column] = r;
    }
  }
  return latest;
}

// The largest part of all excess that one rank has by itself (0..1).
double share_of_one_rank(const StepMatrix& matrix) {
  const std::vector<double> excess = excess_by_column(matrix);
  const std::vector<std::size_t> latest = latest_by_step(matrix);
  std::vector<double> of_rank(matrix.ranks(), 0.0);
  for (std::size_t column = 0; column < matrix.columns; ++column) of_rank[latest[column]] += excess[column];
  const double all = std::accumulate(of_rank.begin(), of_rank.end(), 0.0);
  return all > 0 ? *std::max_element(of_rank.begin(), of_rank.end()) / all : 0;
}

bool is_nearly_all(std::size_t hits, std::size_t of) {
  return of >= kFewestRepeats && static_cast<double>(hits) >= kMostOfIt * static_cast<double>(of);
}

// The ranks take turns, but the run is too short to see the cycle twice.
bool is_round_robin(const std::vector<std::size_t>& latest, std::size_t ranks) {
  const std::size_t stride = (latest[1] + ranks - latest[0]) % ranks;
  std::size_t hits = 0;
  for (std::size_t s = 0; s + 1 < latest.size(); ++s)
    hits += (latest[s + 1] + ranks - latest[s]) % ranks == stride;
  return stride != 0 && is_nearly_all(hits, latest.size() - 1);
}

// The distance in steps after which the ranks of the late columns repeat; 0: there is none.
std::uint32_t period_of(const std::vector<std::size_t>& latest, const LateColumns& late, std::size_t steps) {
  std::vector<std::size_t> by_step(steps, kNoCause);
  for (std::size_t i = 0; i < latest.size(); ++i) by_step[late.column[i]] = latest[i];
  for (std::size_t period = 2; 2 * period <= steps; ++period) {
    std::size_t hits = 0, of = 0;
    for (std::size_t s = 0; s + period < steps; ++s) {
      if (by_step[s] == kNoCause && by_step[s + period] == kNoCause) continue;
      ++of;
      hits += by_step[s] == by_step[s + period];
    }
    if (is_nearly_all(hits, of)) return static_cast<std::uint32_t>(period);
  }
  const std::size_t ranks = late.matrix.ranks();
  return latest.size() == steps && is_round_robin(latest, ranks) ? static_cast<std::uint32_t>(ranks) : 0;
}

void find_late_ranks(const StepMatrix& all, const LateColumns& late, Explanation& result) {
  const StepMatrix& matrix = late.matrix;
  if (all.columns < kFewestSteps || all.ranks() < 2) return;
  if (share_of_one_rank(all) >= kMostOfIt) {
    result.late_ranks = LateRanks::Same;
    return;
  }
  if (matrix.columns < kFewestSteps) return;
  if (persistent_share(matrix) >= kMostlyRanks) {
    result.late_ranks = LateRanks::Same;
    return;
  }
  const std::vector<std::size_t> latest = latest_by_step(matrix);
  std::size_t changes = 0;
  for (std::size_t s = 1; s < latest.size(); ++s) changes += latest[s] != latest[s - 1];
  if (static_cast<double>(changes) <= kSlowlyMoving * static_cast<double>(latest.size() - 1)) {
    result.late_ranks = LateRanks::Moving;
    return;
  }
  result.period = period_of(latest, late, all.columns);
  result.late_ranks = result.period > 0 ? LateRanks::TakeTurns : LateRanks::NoPattern;
}

void compare_totals(const CallPathSpread& spread, const std::vector<std::size_t>& late_ranks,
                    Explanation& result) {
  const std::set<std::size_t> late(late_ranks.begin(), late_ranks.end());
  const auto late_count = static_cast<double>(late.size());
  const double other_count = static_cast<double>(spread.rank_time.size()) - late_count;
  double least = std::numeric_limits<double>::infinity();
  for (std::size_t r = 0; r < spread.rank_time.size(); ++r) {
    const bool is_late = late.contains(r);
    (is_late ? result.late_time : result.other_time) += spread.rank_time[r];
    (is_late ? result.late_visits : result.other_visits) += spread.rank_visits[r];
    if (is_late) continue;
    least = std::min(least, spread.rank_visits[r]);
    result.most_other_visits = std::max(result.most_other_visits, spread.rank_visits[r]);
  }
  if (late_count > 0) {
    result.late_time /= late_count;
    result.late_visits /= late_count;
  }
  if (other_count > 0) {
    result.other_time /= other_count;
    result.other_visits /= other_count;
    result.least_other_visits = least;
  }
}

void compare_steps(const StepMatrix& matrix, Explanation& result) {
  const std::vector<std::size_t> latest = latest_by_step(matrix);
  const auto steps = static_cast<double>(matrix.columns);
  const double others = steps * static_cast<double>(matrix.ranks() - 1);
  for (std::size_t column = 0; column < matrix.columns; ++column) {
    for (std::size_t r = 0; r < matrix.ranks(); ++r) {
      const std::size_t cell = r * matrix.columns + column;
      const bool is_late = latest[column] == r;
      (is_late ? result.late_time : result.other_time) += matrix.time[cell] / (is_late ? steps : others);
      (is_late ? result.late_visits : result.other_visits) +=
          matrix.visits[cell] / (is_late ? steps : others);
    }
  }
}

// time = visits x time of each: which of the two factors makes the difference?
Executions compare_visits(const Explanation& means, bool visits_known) {
  if (!visits_known) return Executions::Unknown;
  if (means.late_time < kWorthAWord * means.other_time) return Executions::Alike;
  if (means.other_visits <= 0 || means.other_time <= 0) return Executions::MoreOften;
  if (means.late_visits <= 0) return Executions::Alike;
  const double longer = std::log(means.late_time / means.other_time);
  const double more_often = std::log(means.late_visits / means.other_visits);
  const double about_one = std::min(std::log(kAboutAsMuch), kLittle * longer);
  if (std::abs(longer - more_often) <= about_one) return Executions::MoreOften;
  return std::abs(more_often) <= about_one ? Executions::SlowerEach : Executions::Both;
}

// The excess by step, in the first and in the last third of the run.
void find_growth(const StepMatrix& matrix, Explanation& result) {
  if (matrix.columns < 2 * kFewestSteps || matrix.ranks() < 2) return;
  std::vector<double> excess = excess_by_column(matrix), when(matrix.columns);
  for (std::size_t column = 0; column < matrix.columns; ++column) {
    const auto first = static_cast<std::uint32_t>(column) * matrix.per_column;
    excess[column] /= std::min(matrix.per_column, matrix.steps - first);
    when[column] = static_cast<double>(column);
  }
  const std::size_t third = matrix.columns / 3;
  double early = 0, late = 0;
  for (std::size_t i = 0; i < third; ++i) {
    early += excess[i];
    late += excess[matrix.columns - 1 - i];
  }
  if (early > 0) {
    result.growth = late / early;
  } else if (late > 0) {
    result.growth = std::numeric_limits<double>::infinity();
  }
  result.grows = result.growth >= kGrowthMatters && correlation(when, excess).value_or(0) >= kSteadily;
}

bool lies_in_steps(const CallPathSpread& spread) {
  const auto sum = [](const std::vector<double>& times) {
    return std::accumulate(times.begin(), times.end(), 0.0);
  };
  return sum(spread.overview.time) >= kMainlySteps * sum(spread.rank_time);
}

}  // namespace

Explanation explain(const CallPathSpread& spread, const std::vector<std::size_t>& late_ranks) {
  Explanation result;
  const bool in_steps = lies_in_steps(spread);
  const LateColumns late = late_columns(spread.close_up);
  if (in_steps) find_late_ranks(spread.close_up, late, result);
  if (in_steps && are_late_together(spread.overview, late_ranks)) {
    result.late_ranks = LateRanks::Same;
    result.period = 0;
  }
  const bool change = result.late_ranks == LateRanks::Moving || result.late_ranks == LateRanks::TakeTurns ||
                      result.late_ranks == LateRanks::NoPattern;
  if (change) {
    compare_steps(late.matrix, result);
  } else {
    compare_totals(spread, late_ranks, result);
  }
  result.executions = compare_visits(result, spread.visits_known);
  if (spread.visits_known) {
    const StepMatrix& cells = change ? spread.close_up : spread.overview;
    result.correlation = in_steps && spread.overview.columns > 1
                             ? correlation(cells.time, cells.visits)
                             : correlation(spread.rank_time, spread.rank_visits);
  }
  if (in_steps) find_growth(spread.overview, result);
  if (result.grows && begins_at_once(spread.overview, late_ranks)) result.grows = false;
  if (result.late_ranks == LateRanks::Same && !result.grows)
    result.late_steps = late_steps(spread, late_ranks);
  return result;
}

}  // namespace waitdiag

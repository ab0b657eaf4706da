// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/steps/explanation.hpp"

#include <algorithm>
#include <cmath>
#include <set>

namespace waitdiag {
namespace {

constexpr std::size_t kFewestSteps = 3;
constexpr std::size_t kFewestRepeats = 6;  // fewer may be chance
constexpr double kMostOfIt = 0.9;
constexpr double kMostlyRanks = 0.5;    // of the variance between ranks stays over the steps: same ranks
constexpr double kSlowlyMoving = 0.25;  // changes of the late rank, by step
constexpr double kWorthAWord = 1.05;    // times longer
constexpr double kMostly = 2.0 / 3.0;
constexpr double kSteadily = 0.8;  // correlation with time
constexpr double kGrowthMatters = 1.5;
constexpr double kRounding = 1e-20;

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

// How much of the differences between ranks stays the same over all steps (0..1).
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

// The distance at which `latest` repeats itself; 0: at none.
std::uint32_t period_of(const std::vector<std::size_t>& latest, std::size_t ranks) {
  const std::size_t steps = latest.size();
  const auto nearly_all = [](std::size_t hits, std::size_t of) {
    return of >= kFewestRepeats && static_cast<double>(hits) >= kMostOfIt * static_cast<double>(of);
  };
  for (std::size_t period = 2; 2 * period <= steps; ++period) {
    std::size_t hits = 0;
    for (std::size_t s = 0; s + period < steps; ++s) hits += latest[s] == latest[s + period];
    if (nearly_all(hits, steps - period)) return static_cast<std::uint32_t>(period);
  }
  if (steps < 2) return 0;
  // Round and round, but the run is too short to see it twice.
  const std::size_t stride = (latest[1] + ranks - latest[0]) % ranks;
  std::size_t hits = 0;
  for (std::size_t s = 0; s + 1 < steps; ++s) hits += (latest[s + 1] + ranks - latest[s]) % ranks == stride;
  return stride != 0 && nearly_all(hits, steps - 1) ? static_cast<std::uint32_t>(ranks) : 0;
}

void find_late_ranks(const StepMatrix& matrix, Explanation& result) {
  const bool any = std::any_of(matrix.time.begin(), matrix.time.end(), [](double time) { return time > 0; });
  if (matrix.columns < kFewestSteps || matrix.ranks() < 2 || !any) return;
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
  result.period = period_of(latest, matrix.ranks());
  result.late_ranks = result.period > 0 ? LateRanks::TakeTurns : LateRanks::NoPattern;
}

void compare_totals(const CallPathSpread& spread, const std::vector<std::size_t>& late_ranks,
                    Explanation& result) {
  const std::set<std::size_t> late(late_ranks.begin(), late_ranks.end());
  const auto late_count = static_cast<double>(late.size());
  const double other_count = static_cast<double>(spread.rank_time.size()) - late_count;
  for (std::size_t r = 0; r < spread.rank_time.size(); ++r) {
    const bool is_late = late.contains(r);
    (is_late ? result.late_time : result.other_time) += spread.rank_time[r];
    (is_late ? result.late_visits : result.other_visits) += spread.rank_visits[r];
  }
  if (late_count > 0) {
    result.late_time /= late_count;
    result.late_visits /= late_count;
  }
  if (other_count > 0) {
    result.other_time /= other_count;
    result.other_visits /= other_count;
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

// time = executions x time of each: which of the two factors makes the difference?
Executions compare_executions(const Explanation& means, bool visits_known) {
  if (!visits_known) return Executions::Unknown;
  if (means.late_time < kWorthAWord * means.other_time) return Executions::Alike;
  if (means.other_visits <= 0 || means.other_time <= 0) return Executions::MoreOften;
  if (means.late_visits <= 0) return Executions::Alike;
  const double longer = std::log(means.late_time / means.other_time);
  const double more_often = std::log(means.late_visits / means.other_visits);
  if (more_often >= kMostly * longer) return Executions::MoreOften;
  return more_often <= (1 - kMostly) * longer ? Executions::SlowerEach : Executions::Both;
}

// The excess of the slowest rank over the mean, by step, in the first and in the last third of the run.
void find_growth(const StepMatrix& matrix, Explanation& result) {
  if (matrix.columns < 2 * kFewestSteps || matrix.ranks() < 2) return;
  std::vector<double> excess, when;
  for (std::size_t column = 0; column < matrix.columns; ++column) {
    double most = 0, sum = 0;
    for (std::size_t r = 0; r < matrix.ranks(); ++r) {
      most = std::max(most, matrix.time[r * matrix.columns + column]);
      sum += matrix.time[r * matrix.columns + column];
    }
    const auto first = static_cast<std::uint32_t>(column) * matrix.per_column;
    const double steps = std::min(matrix.per_column, matrix.steps - first);
    excess.push_back((most - sum / static_cast<double>(matrix.ranks())) / steps);
    when.push_back(static_cast<double>(column));
  }
  const std::size_t third = matrix.columns / 3;
  double early = 0, late = 0;
  for (std::size_t i = 0; i < third; ++i) {
    early += excess[i];
    late += excess[matrix.columns - 1 - i];
  }
  if (early <= 0) return;
  result.growth = late / early;
  result.grows = result.growth >= kGrowthMatters && correlation(when, excess).value_or(0) >= kSteadily;
}

}  // namespace

Explanation explain(const CallPathSpread& spread, const std::vector<std::size_t>& late_ranks) {
  Explanation result;
  find_late_ranks(spread.close_up, result);
  const bool change = result.late_ranks == LateRanks::Moving || result.late_ranks == LateRanks::TakeTurns ||
                      result.late_ranks == LateRanks::NoPattern;
  if (change) {
    compare_steps(spread.close_up, result);
  } else {
    compare_totals(spread, late_ranks, result);
  }
  result.executions = compare_executions(result, spread.visits_known);
  const bool steps = spread.overview.columns > 1;
  if (spread.visits_known) {
    const StepMatrix& cells = change ? spread.close_up : spread.overview;
    result.correlation =
        steps ? correlation(cells.time, cells.visits) : correlation(spread.rank_time, spread.rank_visits);
  }
  find_growth(spread.overview, result);
  return result;
}

}  // namespace waitdiag

// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/steps/explanation.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
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
constexpr double kBusy = 0.1;         // of the usual largest time in a step: less is none worth comparing
constexpr double kMainlySteps = 0.5;  // of a call path's time lies in steps
constexpr std::size_t kNobody = static_cast<std::size_t>(-1);

// Those columns in which some rank spent time worth comparing; the others would name a rank at random.
struct BusyColumns {
  StepMatrix matrix;
  std::vector<std::size_t> column;  // in the matrix they were taken from
};

BusyColumns busy_columns(const StepMatrix& all) {
  std::vector<double> largest(all.columns, 0.0);
  double sum = 0, active = 0;
  for (std::size_t column = 0; column < all.columns; ++column) {
    for (std::size_t r = 0; r < all.ranks(); ++r)
      largest[column] = std::max(largest[column], all.time[r * all.columns + column]);
    sum += largest[column];
    active += largest[column] > 0 ? 1 : 0;
  }
  BusyColumns busy{StepMatrix(0, 0, 0, 0), {}};
  for (std::size_t column = 0; column < all.columns; ++column)
    if (largest[column] > 0 && largest[column] * active >= kBusy * sum) busy.column.push_back(column);
  busy.matrix = StepMatrix(all.ranks(), 0, static_cast<std::uint32_t>(busy.column.size()), all.steps);
  for (std::size_t r = 0; r < all.ranks(); ++r)
    for (std::size_t i = 0; i < busy.column.size(); ++i)
      busy.matrix.add(r, static_cast<std::uint32_t>(i), all.time[r * all.columns + busy.column[i]],
                      all.visits[r * all.columns + busy.column[i]]);
  return busy;
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

bool is_nearly_all(std::size_t hits, std::size_t of) {
  return of >= kFewestRepeats && static_cast<double>(hits) >= kMostOfIt * static_cast<double>(of);
}

// Round and round, but the run is too short to see it twice.
bool is_round_robin(const std::vector<std::size_t>& latest, std::size_t ranks) {
  const std::size_t stride = (latest[1] + ranks - latest[0]) % ranks;
  std::size_t hits = 0;
  for (std::size_t s = 0; s + 1 < latest.size(); ++s)
    hits += (latest[s + 1] + ranks - latest[s]) % ranks == stride;
  return stride != 0 && is_nearly_all(hits, latest.size() - 1);
}

// The distance in steps at which the latest ranks of the busy columns repeat themselves; 0: at none.
std::uint32_t period_of(const std::vector<std::size_t>& latest, const BusyColumns& busy, std::size_t steps) {
  std::vector<std::size_t> by_step(steps, kNobody);
  for (std::size_t i = 0; i < latest.size(); ++i) by_step[busy.column[i]] = latest[i];
  for (std::size_t period = 2; 2 * period <= steps; ++period) {
    std::size_t hits = 0, of = 0;
    for (std::size_t s = 0; s + period < steps; ++s) {
      if (by_step[s] == kNobody && by_step[s + period] == kNobody) continue;
      ++of;
      hits += by_step[s] == by_step[s + period];
    }
    if (is_nearly_all(hits, of)) return static_cast<std::uint32_t>(period);
  }
  const std::size_t ranks = busy.matrix.ranks();
  return latest.size() == steps && is_round_robin(latest, ranks) ? static_cast<std::uint32_t>(ranks) : 0;
}

void find_late_ranks(const BusyColumns& busy, std::size_t steps, Explanation& result) {
  const StepMatrix& matrix = busy.matrix;
  if (matrix.columns < kFewestSteps || matrix.ranks() < 2) return;
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
  result.period = period_of(latest, busy, steps);
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
  const BusyColumns busy = busy_columns(spread.close_up);
  if (in_steps) find_late_ranks(busy, spread.close_up.columns, result);
  const bool change = result.late_ranks == LateRanks::Moving || result.late_ranks == LateRanks::TakeTurns ||
                      result.late_ranks == LateRanks::NoPattern;
  if (change) {
    compare_steps(busy.matrix, result);
  } else {
    compare_totals(spread, late_ranks, result);
  }
  result.executions = compare_executions(result, spread.visits_known);
  if (spread.visits_known) {
    const StepMatrix& cells = change ? spread.close_up : spread.overview;
    result.correlation = in_steps && spread.overview.columns > 1
                             ? correlation(cells.time, cells.visits)
                             : correlation(spread.rank_time, spread.rank_visits);
  }
  if (in_steps) find_growth(spread.overview, result);
  return result;
}

}  // namespace waitdiag

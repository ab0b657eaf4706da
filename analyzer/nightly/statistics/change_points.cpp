// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/nightly/statistics/change_points.hpp"

#include <algorithm>
#include <boost/math/distributions/students_t.hpp>
#include <cmath>
#include <numeric>

namespace waitdiag {
namespace {

using Series = std::span<const double>;

double mean(Series values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

double variance_of_mean(Series values) {
  const double middle = mean(values);
  double squares = 0;
  for (const double value : values) squares += (value - middle) * (value - middle);
  const auto n = static_cast<double>(values.size());
  return squares / (n - 1) / n;
}

double distances(double value, Series others) {
  double sum = 0;
  for (const double other : others) sum += std::abs(value - other);
  return sum;
}

double pairs(std::size_t n) {
  return static_cast<double>(n) * static_cast<double>(n - 1) / 2;
}

// Where the two parts are furthest from each other, with at least `least` values (2 or more) in each.
std::size_t best_split(Series series, std::size_t least) {
  double within_first = 0, within_second = 0, between = 0;
  for (std::size_t i = 0; i < series.size(); ++i)
    within_second += distances(series[i], series.subspan(i + 1));
  std::size_t best = least;
  double largest = -1;
  for (std::size_t split = 1; split + least <= series.size(); ++split) {
    // The value before the split leaves the second part for the first.
    const double to_first = distances(series[split - 1], series.first(split - 1));
    const double to_second = distances(series[split - 1], series.subspan(split));
    within_first += to_first;
    within_second -= to_second;
    between += to_second - to_first;
    if (split < least) continue;
    const auto first = static_cast<double>(split), second = static_cast<double>(series.size() - split);
    const double energy = 2 * between / (first * second) - within_first / pairs(split) -
                          within_second / pairs(series.size() - split);
    const double statistic = energy * first * second / (first + second);
    if (statistic > largest) {
      largest = statistic;
      best = split;
    }
  }
  return best;
}

class Finder {
 public:
  Finder(Series series, const ChangePointOptions& options)
      : series_(series), options_(options), least_(std::max<std::size_t>(2, options.nights)) {}

  std::vector<ChangePoint> find() {
    constexpr double kWeak = 10;
    bounds_ = {0, series_.size()};
    divide(0, series_.size(), kWeak * options_.p);
    std::sort(bounds_.begin(), bounds_.end());
    drop_weak();
    std::vector<ChangePoint> points;
    for (std::size_t i = 1; i + 1 < bounds_.size(); ++i) points.push_back(point(i));
    return points;
  }

 private:
  void divide(std::size_t begin, std::size_t end, double limit) {
    if (end - begin < 2 * least_) return;
    const Series segment = series_.subspan(begin, end - begin);
    const std::size_t split = best_split(segment, least_);
    if (welch_test(segment.first(split), segment.subspan(split)) >= limit) return;
    bounds_.push_back(begin + split);
    divide(begin, begin + split, limit);
    divide(begin + split, end, limit);
  }

  ChangePoint point(std::size_t bound) const {
    const Series before = series_.subspan(bounds_[bound - 1], bounds_[bound] - bounds_[bound - 1]);
    const Series after = series_.subspan(bounds_[bound], bounds_[bound + 1] - bounds_[bound]);
    return {bounds_[bound], mean(before), mean(after), welch_test(before, after)};
  }

  bool holds(const ChangePoint& point) const {
    return point.p < options_.p &&
           std::abs(point.after - point.before) > options_.least_change * std::abs(point.before);
  }

  void drop_weak() {
    while (true) {
      std::size_t weakest = 0;
      double most = -1;
      for (std::size_t i = 1; i + 1 < bounds_.size(); ++i) {
        const ChangePoint one = point(i);
        if (holds(one) || one.p <= most) continue;
        weakest = i;
        most = one.p;
      }
      if (weakest == 0) return;
      bounds_.erase(bounds_.begin() + static_cast<std::ptrdiff_t>(weakest));
    }
  }

  Series series_;
  const ChangePointOptions& options_;
  std::size_t least_;
  std::vector<std::size_t> bounds_;  // of segments: 0, the change points, the end
};

}  // namespace

double welch_test(std::span<const double> first, std::span<const double> second) {
  if (first.size() < 2 || second.size() < 2) return 1;
  const double a = variance_of_mean(first), b = variance_of_mean(second);
  const double difference = std::abs(mean(second) - mean(first));
  if (a + b == 0) return difference > 0 ? 0 : 1;
  const double freedom =
      (a + b) * (a + b) /
      (a * a / static_cast<double>(first.size() - 1) + b * b / static_cast<double>(second.size() - 1));
  const boost::math::students_t distribution(freedom);
  return 2 * boost::math::cdf(boost::math::complement(distribution, difference / std::sqrt(a + b)));
}

std::vector<ChangePoint> change_points(std::span<const double> series, const ChangePointOptions& options) {
  return Finder(series, options).find();
}

}  // namespace waitdiag

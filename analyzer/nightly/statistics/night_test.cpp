// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/nightly/statistics/night_test.hpp"

#include <algorithm>
#include <boost/math/distributions/fisher_f.hpp>
#include <boost/math/distributions/students_t.hpp>
#include <cmath>
#include <limits>
#include <numeric>

#include "analyzer/nightly/statistics/median.hpp"

namespace waitdiag {
namespace {

using Nights = std::span<const std::vector<double>>;

std::vector<double> medians_of(Nights nights) {
  std::vector<double> medians;
  for (const std::vector<double>& night : nights) medians.push_back(median(night));
  return medians;
}

double sum_of_values(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0);
}

bool differ(Nights nights) {
  constexpr std::size_t kNights = 5;
  constexpr double kLimit = 0.02;
  double all = 0, within = 0, between = 0;
  std::size_t runs = 0, used = 0, single = 0;
  for (const std::vector<double>& night : nights) {
    all += sum_of_values(night);
    runs += night.size();
    used += night.size() > 1;
    single += night.size() == 1;
  }
  if (single == nights.size()) return true;
  if (used < kNights) return false;
  const double mean = all / static_cast<double>(runs);
  for (const std::vector<double>& night : nights) {
    const double middle = sum_of_values(night) / static_cast<double>(night.size());
    between += static_cast<double>(night.size()) * (middle - mean) * (middle - mean);
    for (const double run : night) within += (run - middle) * (run - middle);
  }
  const auto freedom_between = static_cast<double>(nights.size() - 1),
             freedom_within = static_cast<double>(runs - nights.size());
  if (within == 0) return between > 0;
  const boost::math::fisher_f distribution(freedom_between, freedom_within);
  const double ratio = (between / freedom_between) / (within / freedom_within);
  return boost::math::cdf(boost::math::complement(distribution, ratio)) < kLimit;
}

// How much the median of `runs` runs varies, in deviations of one run.
double error_of_median(std::size_t runs) {
  constexpr double kOfNormal = 1.2533;  // sqrt(pi / 2), for many runs; for one or two, the median is the mean
  return (runs > 2 ? kOfNormal : 1) / std::sqrt(static_cast<double>(runs));
}

}  // namespace

double deviation_within_nights(Nights nights) {
  constexpr double kOfNormal = 1.4826;
  std::vector<double> distances;
  for (const std::vector<double>& night : nights) {
    if (night.size() < 2) continue;
    const double middle = median(night);
    const auto n = static_cast<double>(night.size());
    std::vector<double> own;
    for (const double run : night) own.push_back(std::abs(run - middle) * std::sqrt(n / (n - 1)));
    std::sort(own.begin(), own.end());
    distances.insert(distances.end(), own.begin() + 1, own.end());  // the median itself says nothing
  }
  return kOfNormal * median(std::move(distances));
}

NightTest night_test(Nights nights, std::span<const double> today) {
  constexpr double kFinest = 1e-3;
  NightTest test;
  const std::vector<double> medians = medians_of(nights);
  const double within = deviation_within_nights(nights);
  const double floor = std::max(kFinest * std::abs(median(medians)),
                                std::isfinite(within) ? within * error_of_median(today.size()) : 0.0);
  test.z = robust_z(median({today.begin(), today.end()}), medians,
                    std::max(floor, std::numeric_limits<double>::min()));
  test.nights_differ = differ(nights);
  if (nights.size() < 2 || !std::isfinite(test.z)) return test;
  const auto n = static_cast<double>(nights.size());
  const boost::math::students_t distribution(n - 1);
  const double t = std::clamp(test.z / std::sqrt(1 + 1 / n), -1e6, 1e6);
  test.less = boost::math::cdf(distribution, t);
  test.greater = boost::math::cdf(boost::math::complement(distribution, t));
  return test;
}

}  // namespace waitdiag

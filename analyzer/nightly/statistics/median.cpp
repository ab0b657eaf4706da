// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/nightly/statistics/median.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>

namespace waitdiag {

double median(std::vector<double> values) {
  if (values.empty()) return std::numeric_limits<double>::quiet_NaN();
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  if (values.size() % 2 == 1) return *middle;
  return (*middle + *std::max_element(values.begin(), middle)) / 2;
}

double robust_deviation(const std::vector<double>& values) {
  constexpr double kOfNormal = 1.4826;  // 1 / the third quartile of the standard normal distribution
  const double middle = median(values);
  std::vector<double> distances;
  distances.reserve(values.size());
  for (const double value : values) distances.push_back(std::abs(value - middle));
  return kOfNormal * median(std::move(distances));
}

double robust_z(double value, const std::vector<double>& history, double floor) {
  return (value - median(history)) / std::max(robust_deviation(history), floor);
}

}  // namespace waitdiag

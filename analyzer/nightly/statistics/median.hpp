// The middle of a sample and the spread around it, neither affected by a few outliers.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

namespace waitdiag {

// NaN for an empty sample; the mean of the two middle values for an even number.
double median(std::vector<double> values);

// 1.4826 times the median absolute deviation from the median: the standard deviation of a normal
// distribution, but not affected by a tail. NaN for an empty sample.
double robust_deviation(const std::vector<double>& values);

// How many deviations `value` is above the median of `history`. A quiet history does not make a tiny change
// remarkable: the deviation counts as at least `floor`, which is positive and in the unit of the values. NaN
// without a history.
double robust_z(double value, const std::vector<double>& history, double floor);

}  // namespace waitdiag

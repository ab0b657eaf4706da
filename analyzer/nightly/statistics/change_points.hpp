// When did a series of nightly figures change its level?
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace waitdiag {

struct ChangePointOptions {
  double p = 0.001;           // a change is kept if Welch's t-test says that less than this is chance
  double least_change = 0.0;  // and if the mean changes by more than this part of the mean before
  std::size_t nights = 2;     // and if at least this many values lie on each side
};

struct ChangePoint {
  std::size_t index = 0;         // the first value of the new level
  double before = 0, after = 0;  // means of the levels around it
  double p = 1;
};

// The points where the level changed, ascending. A segment is divided where the energy statistic of its two
// parts is largest (Matteson and James, J. Amer. Statist. Assoc. 109 (2014), with exponent 1) and Welch's
// t-test of the parts is below ten times `p`; afterwards the points that are not significant with `p` between
// their neighbours are dropped, the weakest first (the two passes of Fleming et al., ICPE 2023). As the
// division is chosen before it is tested, negligible changes pass more often than `p` says: `least_change`
// removes them. Always the same result for the same series: nothing is random.
std::vector<ChangePoint> change_points(std::span<const double> series,
                                       const ChangePointOptions& options = {});

// Welch's t-test, two-sided: the probability of means at least as far apart if both were the same. Two
// samples without any spread differ (0) or do not (1). 1 with fewer than two values on a side.
double welch_test(std::span<const double> first, std::span<const double> second);

}  // namespace waitdiag

// Does a night differ from previous nights by more than these differ from each other?
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>
#include <vector>

namespace waitdiag {

struct NightTest {
  double z = 0;                // of the new night's median against the medians of the others (robust_z)
  double greater = 1;          // probability of an equally large z by chance, from Student's distribution
  double less = 1;             // of one equally small
  bool nights_differ = false;  // by more than the runs of a night do
};

// `nights`: the runs of each previous night, none empty; `today`: the runs of the new one, not empty. The
// spread of nights is the robust deviation of their medians, but at least the variation of a median that the
// runs of a night cause (pooled median absolute deviations), and at least a thousandth of the median. Whether
// nights differ (another node each night, other jobs alongside) is decided by an F-test at 2 % where there
// are at least five nights with several runs; nights of single runs count as differing, because it cannot be
// determined. Without nights, z is NaN.
NightTest night_test(std::span<const std::vector<double>> nights, std::span<const double> today);

// The standard deviation of single runs about the median of their night, pooled over the nights that have
// several; NaN where none has.
double deviation_within_nights(std::span<const std::vector<double>> nights);

}  // namespace waitdiag

// Two small samples of run times, or of any other figure: does the second differ from the first, and by how
// much. Both use ranks only: neither needs a normal distribution.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace waitdiag {

// Mann and Whitney, Ann. Math. Statist. 18 (1947). Each p is the probability of ranks at least as uneven if
// both samples came from one distribution: exact up to 40 values in total (including ties, by counting all
// ways to distribute the ranks), beyond that a normal approximation with corrections for continuity and ties.
// 1 when a sample is empty.
struct RankTest {
  double greater = 1;    // that the second sample is not greater than the first
  double less = 1;       // that it is not less
  double two_sided = 1;  // that they do not differ: twice the smaller of the two, at most 1
};
RankTest rank_test(std::span<const double> first, std::span<const double> second);

// The smallest two-sided p that samples of these sizes can reach: 0.1 for 3 and 3, 0.0079 for 5 and 5.
double smallest_p(std::size_t first, std::size_t second);

// How many values both samples need at least so that a two-sided p of `alpha` (0 < alpha < 1) can be reached.
std::size_t values_needed(double alpha);

// Hodges and Lehmann, Ann. Math. Statist. 34 (1963): the median of all differences second - first, and the
// interval that contains the true shift with probability `confidence` (its ends are differences too, so the
// probability is at least that; with very few values, the whole range of differences). NaN when a sample is
// empty.
struct Shift {
  double estimate = 0, low = 0, high = 0;
};
Shift shift(std::span<const double> first, std::span<const double> second, double confidence = 0.95);

// Benjamini and Hochberg, J. R. Statist. Soc. B 57 (1995): p values of several tests, adjusted so that among
// those below a limit the expected share of false ones is no larger than the limit. In the order of `p`.
std::vector<double> adjusted(std::span<const double> p);

}  // namespace waitdiag

// How much in total, if overlapping intervals may count only once: the largest sum of values whose intervals
// do not overlap (weighted interval scheduling).
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "analyzer/trace/model/time.hpp"

namespace waitdiag {

class DisjointSum {
 public:
  // Intervals are added in the order of their ends, the latest first; begin <= end. O(log k + d), k =
  // intervals so far that begin before `end`, d = those that this one makes useless. An interval added out of
  // order can make the sum too small, never too large.
  void add(Time begin, Time end, double value);

  double largest() const { return best_.empty() ? 0 : best_.back().sum; }

 private:
  // The largest sum of intervals that begin at `begin` or later.
  struct Best {
    Time begin{};
    double sum = 0;
  };
  std::vector<Best> best_;  // begins fall, sums rise
};

}  // namespace waitdiag

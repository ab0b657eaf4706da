// Propagating waits: those that made the waiting process late for another. Part of a later wait was caused by
// waits of its causing process; that part of these waits propagates. The maximum is over the later waits w
// whose causing process waited s in their interval:
//
//   propagating(s) = max over w of scale(w) * s
//   terminal(s)    = s - propagating(s)
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "analyzer/diagnosis/causes/passed_on.hpp"

namespace waitdiag {

class Propagation {
 public:
  // A later wait is explained by the share `scale` of each nanosecond of `waits`.
  void add(const PassedOn::Waits& waits, double scale);

  // Nanoseconds by pattern.
  std::vector<double> by_pattern(const WaitStates& states);

 private:
  struct Range {  // of waits, and how much of each propagates
    std::uint32_t first = 0, last = 0;
    double share = 0;
  };
  std::vector<Range> ranges_;
};

}  // namespace waitdiag

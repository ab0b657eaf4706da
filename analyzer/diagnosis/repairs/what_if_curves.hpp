// What the run would take if something were changed in part: a cause repaired by a half, a network twice as
// fast, the slowest rank made as fast as the others. Each is timed at a few points; a page interpolates
// between them, and says so.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <initializer_list>
#include <span>
#include <utility>
#include <vector>

#include "analyzer/diagnosis/repairs/curve_points.hpp"
#include "analyzer/diagnosis/retiming/retime.hpp"

namespace waitdiag {

struct WhatIfCurve {
  enum class What : std::uint8_t { Cause, Network, Rank };
  struct Point {
    double share =
        0;  // of the whole change: of the repair; of calls' own time; of what the rank takes longer
    Duration runtime{};
  };
  What what = What::Cause;
  std::size_t cause = 0;  // its number among the repairs
  Rank rank = kNoRank;
  std::vector<Point> points{};  // ascending, the last one is the whole change; without the unchanged run
};

struct WhatIfCurves {
  std::vector<WhatIfCurve> curves{};
  // Run times with several whole changes at once: bit i of the place says whether curve i is one of them.
  // Empty: these were not timed.
  std::vector<Duration> together{};
};

// The repairs of two causes.
Change both_repairs(const Change& a, const Change& b);

// Which changes are to be timed, and what comes of it.
class CurvePlan {
 public:
  CurvePlan(const Trace& trace, std::span<const Change> repairs, CurvePoints points);

  // To be timed, besides the repairs.
  std::vector<Change> take_changes() { return std::move(changes_); }
  // `repaired`: run times with the repairs; `changed`: with the changes.
  WhatIfCurves curves(Duration unchanged, std::span<const Duration> repaired,
                      std::span<const Duration> changed) &&;

 private:
  void add_curve(WhatIfCurve curve, Change whole, std::initializer_list<double> shares);
  void add_together();

  WhatIfCurves result_{};
  std::vector<Change> wholes_{};  // by curve, until all is planned
  std::vector<Change> changes_{};
};

}  // namespace waitdiag

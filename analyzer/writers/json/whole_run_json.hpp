// The part of the JSON report that only recordings with excerpts have.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cmath>
#include <nlohmann/json.hpp>

#include "analyzer/results/report.hpp"

namespace waitdiag {

// The clock counts nanoseconds: digits a thousand times finer are floating point noise that bloats the file.
inline double tidy(double value) {
  constexpr double kDigits = 1e12;
  constexpr double kExactIntegers = 9007199254740992.0;
  const double scaled = value * kDigits;
  return std::abs(scaled) < kExactIntegers ? std::round(scaled) / kDigits : value;
}

// Time and efficiency are given as they are written elsewhere.
nlohmann::ordered_json whole_run_entry(const Report::WholeRun& whole, nlohmann::ordered_json time,
                                       nlohmann::ordered_json efficiency);

}  // namespace waitdiag

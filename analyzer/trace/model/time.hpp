// Time on the trace's own clock: nanoseconds, corrected to one clock for all locations.
// A Time is a point, a Duration a length; adding two points does not compile.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <chrono>
#include <cstdint>

namespace waitdiag {

struct TraceClock {
  using rep = std::int64_t;
  using period = std::nano;
  using duration = std::chrono::duration<rep, period>;
  using time_point = std::chrono::time_point<TraceClock>;
  static constexpr bool is_steady = true;
};

using Time = TraceClock::time_point;
using Duration = TraceClock::duration;

constexpr Time at(std::int64_t nanoseconds) {
  return Time(Duration(nanoseconds));
}
constexpr double seconds(Duration duration) {
  return static_cast<double>(duration.count()) * 1e-9;
}

}  // namespace waitdiag

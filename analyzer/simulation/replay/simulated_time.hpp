// Times of a replay, in nanoseconds. Damaged traces, and machines that were fitted to them, can make a replay
// last for centuries: it then stops at the end of time instead of beginning anew before the year one.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace waitdiag {

// Over four years; so many that sums over many locations are still no larger than the largest number.
constexpr std::int64_t kEndOfTime = std::int64_t{1} << 57;

inline std::int64_t time_after(std::int64_t now, std::int64_t nanoseconds) {
  return now >= kEndOfTime ? now : now + std::min(nanoseconds, kEndOfTime - now);
}
inline std::int64_t time_after(std::int64_t now, double nanoseconds) {
  const bool ends = nanoseconds < static_cast<double>(kEndOfTime);  // not if it is no number
  return time_after(now, ends ? static_cast<std::int64_t>(std::llround(nanoseconds)) : kEndOfTime);
}

}  // namespace waitdiag

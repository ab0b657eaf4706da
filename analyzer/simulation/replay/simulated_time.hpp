// Times of a replay, in nanoseconds. Damaged traces, and machines that were fitted to them, can make a replay
// last for centuries: it then stops at the end of time instead of overflowing.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace waitdiag {

// Over four years: small enough that sums over many locations do not overflow.
constexpr std::int64_t kEndOfTime = std::int64_t{1} << 57;

inline std::int64_t time_after(std::int64_t now, std::int64_t nanoseconds) {
  return now >= kEndOfTime ? now : now + std::min(nanoseconds, kEndOfTime - now);
}
inline std::int64_t time_after(std::int64_t now, double nanoseconds) {
  const bool ends = nanoseconds < static_cast<double>(kEndOfTime);  // false if it is not a number
  return time_after(now, ends ? static_cast<std::int64_t>(std::llround(nanoseconds)) : kEndOfTime);
}

}  // namespace waitdiag

// The simulated clock. Reading it takes no simulated time.
//
// SPDX-License-Identifier: BSD-3-Clause
#include "libwaitprof/surroundings/clock.hpp"

#include <simgrid/engine.h>

#include <cmath>

namespace waitprof {

constinit TickScale scale_in_use;

std::uint64_t now_without_ticks() noexcept {
  constexpr double kNanoseconds = 1e9;
  return static_cast<std::uint64_t>(std::llround(simgrid_get_clock() * kNanoseconds));
}

// Simulated processes are never off the processor.
ThreadUse thread_use() noexcept {
  return {now(), 0};
}

std::int64_t ahead_of_kernel() noexcept {
  return 0;
}

ClockReading read_clocks() noexcept {
  return {0, now()};
}

std::uint64_t time_of(const ClockReading& reading) noexcept {
  return reading.nanoseconds;
}

}  // namespace waitprof

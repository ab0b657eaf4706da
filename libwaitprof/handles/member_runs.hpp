// Ranks as runs of equal steps: 0, 1, ... n-1 is one run however large n is.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <span>

#include "libwaitprof/schema/crash_safe_layout.hpp"

namespace waitprof {

// Takes the longest run of equal steps off the front of `numbers`, which is not empty.
inline crash_safe::MembersRecord take_run(std::span<const int>& numbers) noexcept {
  crash_safe::MembersRecord run{.first = numbers[0], .step = 1, .count = 1};
  if (numbers.size() > 1) {
    run.step = std::int64_t{numbers[1]} - numbers[0];
  }
  while (run.count < numbers.size() &&
         numbers[run.count] == run.first + run.step * static_cast<std::int64_t>(run.count)) {
    ++run.count;
  }
  run.step = run.count > 1 ? run.step : 1;
  numbers = numbers.subspan(run.count);
  return run;
}

}  // namespace waitprof

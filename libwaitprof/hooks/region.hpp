// Functions that are only timed, and polls that are only timed when they find something.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

namespace waitprof::hooks {

struct Region {};

// A loop of failed polls would flood the trace: they are counted, not recorded.
struct Poll {
  const int* flag;

  static bool polls() noexcept { return true; }
  bool found_nothing() const noexcept { return *flag == 0; }
};

}  // namespace waitprof::hooks

// The same run with fewer iterations of its loops.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "analyzer/trace/model/trace.hpp"

namespace waitdiag {

// Calls [first, last) of a location, each with the gap before it.
struct CallRange {
  std::uint32_t first = 0, last = 0;
  bool empty() const { return first == last; }
};

// Leaves out ranges of calls of each location (by location, in order; they may be empty, but do not overlap).
// What follows moves forward by the time they took. They are whole iterations of a loop: a request that an
// earlier call started is completed where the same request of the last iteration was.
Trace without_calls(const Trace& trace, const std::vector<std::vector<CallRange>>& left_out);

}  // namespace waitdiag

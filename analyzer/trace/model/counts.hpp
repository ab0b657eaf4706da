// Numbers of calls, messages, waits and the like over a whole trace take 32 bits, because very many of them
// are stored. A trace with more of them ends in a one-line error, not in wrong results: every sum goes
// through here.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <limits>
#include <string>
#include <vector>

#include "analyzer/trace/model/trace_error.hpp"

namespace waitdiag {

// `count` as a Number, whose largest value stands for none.
template <typename Number>
Number counted(std::size_t count, const char* what) {
  constexpr std::size_t kMost = std::numeric_limits<Number>::max() - Number{1};
  if (count <= kMost) return static_cast<Number>(count);
  throw TraceError(
      "this trace has more than " + std::to_string(kMost) + " " + what +
      ", which is more than can be analysed at once; record a shorter stretch (WAITPROF_PROFILE=light, "
      "MPI_Pcontrol) or fewer calls (WAITPROF_FILTER_MPI)");
}

// Where each row begins when all are stored one after the other: `rows` holds a zero, then the size of each.
template <typename Number>
void add_up(std::vector<Number>& rows, const char* what) {
  std::size_t sum = 0;
  for (Number& row : rows) row = counted<Number>(sum += row, what);
}

}  // namespace waitdiag

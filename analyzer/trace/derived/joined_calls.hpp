// Calls of a location that become one.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <vector>

#include "analyzer/trace/derived/retiming.hpp"
#include "analyzer/trace/model/trace.hpp"

namespace waitdiag {

class Retiming::Joining {
 public:
  // `number`: of each call afterwards, and one more; calls with the same number become one, with the times and
  // the call path of the first of them. What ran in the gaps between them counts as before it, but for gaps that are
  // to be emptied. Times of records are left as they are.
  static void join(Timeline& timeline, const std::vector<std::uint32_t>& number,
                   const std::vector<bool>& gap_is_empty) {
    join(timeline, number, number, gap_is_empty);
  }
  // `gap_number`: of each gap afterwards, where some of what ran between counts as behind the call.
  static void join(Timeline& timeline, const std::vector<std::uint32_t>& number,
                   const std::vector<std::uint32_t>& gap_number, const std::vector<bool>& gap_is_empty);
};

// The same run, in which calls of one function that only post nonblocking messages, or only complete them,
// one right after the other, are one call: a rank does not make more calls if it has more partners. What the program
// computes between them comes first; run time and computation remain.
Trace join_requests(const Trace& trace);

}  // namespace waitdiag

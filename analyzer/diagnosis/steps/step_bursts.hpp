// Time steps in which one call path is visited several times: as often as a rank has neighbours, which may be
// a different number on every rank, or the same on all.
//
//   rank 0   S S S .......... S S S .......... S S S
//   rank 1   S S ............ S S ............ S S
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "analyzer/trace/model/trace.hpp"

namespace waitdiag {

// A call path whose number of visits on every rank is this number or a multiple of it.
struct CommonVisits {
  std::size_t call_path = 0;
  std::uint32_t divisor = 0, most = 0;
};

// Call paths by the number of bursts in which they are visited. That number is the same on every rank; all
// bursts of one rank have equally many visits, `most_in_one` at most; and nine of ten bursts are further from
// the next one than twice the largest distance between two visits within the burst. Where several numbers
// fit, the largest one.
std::map<std::uint32_t, std::vector<std::size_t>> bursts(const Trace& trace,
                                                         const std::vector<CommonVisits>& candidates,
                                                         std::uint32_t most_in_one);

}  // namespace waitdiag

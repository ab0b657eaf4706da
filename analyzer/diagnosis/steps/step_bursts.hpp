// Time steps in which one call path is executed several times: as often as a rank has neighbours, which may
// be another number on every rank, or the same on all.
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

// A call path whose executions on every rank are this many, or a multiple of it.
struct CommonExecutions {
  std::size_t call_path = 0;
  std::uint32_t divisor = 0, most = 0;
};

// Call paths by the number of bursts in which they are executed: equally many on every rank, each of equally
// many executions on one rank, `most_in_one` at most, and with nine of ten bursts farther from the next one
// than twice the farthest two executions in it. Where several numbers fit, the largest one.
std::map<std::uint32_t, std::vector<std::size_t>> bursts(const Trace& trace,
                                                         const std::vector<CommonExecutions>& candidates,
                                                         std::uint32_t most_in_one);

}  // namespace waitdiag

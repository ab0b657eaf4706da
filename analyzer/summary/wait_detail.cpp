// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/summary/wait_detail.hpp"

#include "analyzer/summary/seconds.hpp"

namespace waitdiag {
void add_clock_violations(const SyncPoints& sync, const WaitStates& states, Report& report) {
  const auto add = [&](const std::vector<ClockPair>& pairs, const char* in) {
    for (const ClockPair& pair : pairs)
      report.clock_violations.push_back({.from = static_cast<std::int64_t>(pair.from),
                                         .to = static_cast<std::int64_t>(pair.to),
                                         .in = in,
                                         .count = pair.count,
                                         .largest_s = seconds(pair.largest)});
  };
  add(sync.clock_pairs, "messages");
  add(states.clock_pairs, "collectives");
}

}  // namespace waitdiag

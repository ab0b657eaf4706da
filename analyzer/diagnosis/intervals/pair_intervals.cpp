// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/diagnosis/intervals/pair_syncs.hpp"
#include "analyzer/diagnosis/intervals/sync_intervals.hpp"

namespace waitdiag {

std::vector<SyncInterval> pair_intervals(const Trace& trace, const SyncPoints& sync,
                                         const WaitStates& states) {
  std::vector<SyncInterval> result(states.waits.size());
  if (states.waits.empty()) return result;
  const PairSyncs syncs(trace, sync, states);
  for (std::size_t i = 0; i < result.size(); ++i) {
    const auto last = syncs.last_before(states.waits[i].cause, states.waits[i].victim);
    if (!last) continue;
    result[i] = {{last->mine.op, Time::min(), last->mine.completion - last->mine.before},
                 {last->theirs.op, Time::min(), last->theirs.completion - last->theirs.before}};
  }
  return result;
}

}  // namespace waitdiag

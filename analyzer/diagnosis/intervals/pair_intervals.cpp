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
    const auto side = [](const auto& end) {
      return IntervalSide::of_pair(end.op, end.completion - end.before);
    };
    result[i] = {side(last->mine), side(last->theirs)};
  }
  return result;
}

}  // namespace waitdiag

// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <numeric>

#include "analyzer/patterns/detect_collectives.hpp"
#include "analyzer/patterns/detect_messages.hpp"

namespace waitdiag {

WaitStates detect(const Trace& trace, const SyncPoints& sync, const DetectOptions& options) {
  WaitStates result;
  ListedTimes listed(trace);
  detect_messages(trace, sync, options, result.waits, listed);
  detect_collectives(trace, sync, options, result.waits, listed, result.anomalies);
  result.listed = listed.take();

  std::sort(result.waits.begin(), result.waits.end(), [](const WaitState& a, const WaitState& b) {
    return std::tie(a.victim, a.pattern) < std::tie(b.victim, b.pattern);
  });
  result.first_wait.assign(trace.timelines().size() + 1, 0);
  for (const WaitState& wait : result.waits) ++result.first_wait[index(wait.victim.location) + 1];
  std::partial_sum(result.first_wait.begin(), result.first_wait.end(), result.first_wait.begin());
  return result;
}

}  // namespace waitdiag

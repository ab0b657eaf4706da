// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/trace/sync/match.hpp"
#include "analyzer/trace/sync/sync_points.hpp"

namespace waitdiag {

SyncPoints match(const Trace& trace) {
  const RankLocations locations = locations_by_rank(trace);
  SyncPoints sync;
  match_messages(trace, locations, sync);
  match_collectives(trace, locations, sync);
  match_thread_barriers(trace, locations, sync);
  match_thread_starts(trace, sync);
  match_rma(trace, sync);
  return sync;
}

}  // namespace waitdiag

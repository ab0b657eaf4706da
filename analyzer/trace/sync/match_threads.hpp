// Barriers of the threads of one process (OpenMP's, explicit or at the end of a construct), by time: the
// threads share a clock, and nobody leaves a barrier before the last one has come. So barriers of one region,
// of different threads, are one if the last one begins before the first one ends. That needs no records of
// teams, and holds whatever their sizes; teams within teams that are at the same barrier at the same time
// look like one.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "analyzer/trace/sync/rank_locations.hpp"
#include "analyzer/trace/sync/sync_points.hpp"

namespace waitdiag {

// Adds one instance for each barrier that several threads were in. A barrier with a single thread in it is no
// instance; where its process has others that were in barriers, it is counted (anomaly
// "thread_barriers_alone").
void match_thread_barriers(const Trace& trace, const RankLocations& locations, SyncPoints& sync);

}  // namespace waitdiag

// Messages: which send belongs to which receive.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "analyzer/trace/sync/rank_locations.hpp"
#include "analyzer/trace/sync/sync_points.hpp"

namespace waitdiag {

// MPI's order: first in, first out for each (sender, receiver, communicator, tag), sends in sending order,
// receives in posting order with the source and tag really matched. Adds messages and anomalies to `sync`.
void match_messages(const Trace& trace, const RankLocations& locations, SyncPoints& sync);

}  // namespace waitdiag

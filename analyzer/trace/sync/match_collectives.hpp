// Collective instances: which parts of a communicator's members are one operation.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "analyzer/trace/sync/rank_locations.hpp"
#include "analyzer/trace/sync/sync_points.hpp"

namespace waitdiag {

// The k-th collective of every member on one communicator is one instance; Init and Finalize are instances on
// MPI_COMM_WORLD. Freeing communicators is left out, and so is creating some where not all members do it as
// often. Adds collectives and anomalies to `sync`.
void match_collectives(const Trace& trace, const RankLocations& locations, SyncPoints& sync);

}  // namespace waitdiag

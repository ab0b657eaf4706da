// One-sided communication: which epochs meet.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "analyzer/trace/sync/sync_points.hpp"

namespace waitdiag {

// The k-th access epoch of an origin that names a target meets the k-th exposure epoch of the target that
// names the origin, on one window. Locks of one target follow each other in the order of their release. Adds
// epochs and anomalies to `sync`.
void match_rma(const Trace& trace, SyncPoints& sync);

}  // namespace waitdiag

// What the first operation of its kind in a communicator takes beyond the later ones: an MPI library sets up
// connections, trees or communicators of its own there.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "analyzer/trace/sync/sync_points.hpp"

namespace waitdiag {

// The same trace; its communicators tell what their first operations take (Communicator::first_uses). From when
// the last member has come to when the last one leaves, a first operation has to take twice as long as any
// later one with about as many bytes, and as long as these differ; eight times as long where there is only one. What was
// known of a trace before is replaced.
Trace with_first_uses(Trace trace, const SyncPoints& sync);

}  // namespace waitdiag

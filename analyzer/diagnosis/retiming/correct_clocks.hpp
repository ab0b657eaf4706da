// Clocks that disagree: a message received before it was sent, a barrier left before all had entered it. The
// controlled logical clock (Rabenseifner 1997) moves such an end after its cause, together with what follows,
// by a little less every second (forward pass). Backward amortisation (Becker, Rabenseifner, Wolf 2009)
// spreads the jump over the time before, at most 1 % of it, and never so that a cause comes after its effect.
//
// What must come before what, whatever the clocks say:
//
//   a send                                    the record of its receive
//   a receive's posting                       the end of its synchronous send
//   the begin of everybody that gives data    the end of everybody that takes data, in barriers (also
//                                             of threads) and all-to-all operations; by peers where
//                                             these were recorded
//   the root's begin; everybody's             the end of the others in one-to-all operations; the root's in
//                                             all-to-one operations
//   MPI_Win_complete; MPI_Win_post            MPI_Win_wait of the targets; MPI_Win_complete with accesses
//
// A nonblocking or persistent operation begins where it was started and ends in the call that completed it.
// In between lies the least latency of a message: 10 ns on one node, 1 us between nodes, none between
// threads. Operations that MPI does not guarantee to synchronise are left alone: Init, Finalize, fences,
// windows made and freed, locks; prefix operations; collectives over two groups whose peers were not
// recorded.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "analyzer/trace/sync/sync_points.hpp"

namespace waitdiag {

// The corrected run; the anomaly "clocks_corrected" says how many calls ended too early and by how much at
// most. A run without any such call is returned unchanged. So is one in which several threads of a rank call
// MPI, with the anomaly "clocks_not_corrected": moved one by one, the threads could overtake each other.
Trace correct_clocks(Trace trace, const SyncPoints& sync);

}  // namespace waitdiag

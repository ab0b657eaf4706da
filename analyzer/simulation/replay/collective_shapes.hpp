// What the members of a collective operation gave and got, as recorded, made into block sizes.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "analyzer/simulation/replay/program.hpp"
#include "analyzer/trace/sync/sync_points.hpp"

namespace waitdiag {

// Calls visit(instance, its members) for all that ranks do together, in the order of the members of a
// Program. What threads of a rank do together takes as long as it did, and so do calls on files.
template <typename Visit>
void for_each_collective(const SyncPoints& sync, Visit visit) {
  for (const CollectiveInstance& instance : sync.collectives)
    if (instance.kind != CollectiveKind::ThreadBarrier && instance.kind != CollectiveKind::FileCall)
      visit(instance, sync.members_of(instance));
}

// Adds all instances, with their members and shapes, and counts what is not known exactly.
void add_collectives(const Trace& trace, const SyncPoints& sync, Program& program);

}  // namespace waitdiag

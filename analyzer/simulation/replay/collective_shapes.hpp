// Block sizes of a collective operation, from the recorded bytes that its members gave and got.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "analyzer/simulation/replay/program.hpp"
#include "analyzer/trace/sync/sync_points.hpp"

namespace waitdiag {

// Calls visit(instance, its members) for all collective operations of ranks, in the order of the members of a
// Program. Those of the threads of a rank take as long as they did.
template <typename Visit>
void for_each_collective(const SyncPoints& sync, Visit visit) {
  for (const CollectiveInstance& instance : sync.collectives)
    if (instance.kind != CollectiveKind::ThreadBarrier) visit(instance, sync.members_of(instance));
}

// When the first member left its part of an operation.
Time first_left(const Trace& trace, const SyncPoints& sync, const CollectiveInstance& instance);

// Adds all instances, with their members and shapes, and counts what is not known exactly.
void add_collectives(const Trace& trace, const SyncPoints& sync, Program& program);

}  // namespace waitdiag

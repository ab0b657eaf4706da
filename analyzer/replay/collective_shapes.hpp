// What the members of a collective operation gave and got, as recorded, made into block sizes.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "analyzer/replay/program.hpp"
#include "analyzer/sync/match_constructors.hpp"

namespace waitdiag {

// Calls visit(instance, its members) for all that ranks do together, in the order of the members of a
// Program. What threads of a rank do together takes as long as it did.
template <typename Visit>
void for_each_collective(const SyncPoints& sync, const Constructors& constructors, Visit visit) {
  for (const CollectiveInstance& instance : sync.collectives)
    if (instance.kind != CollectiveKind::ThreadBarrier) visit(instance, sync.members_of(instance));
  for (const CollectiveInstance& instance : constructors.instances)
    visit(instance, constructors.members_of(instance));
}

// Adds all instances, with their members and shapes, and counts what is not known exactly.
void add_collectives(const Trace& trace, const SyncPoints& sync, const Constructors& constructors,
                     Program& program);

}  // namespace waitdiag

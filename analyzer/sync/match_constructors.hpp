// Calls that make communicators (MPI_Comm_split, MPI_Cart_create, ...): which belong together. They are apart
// from the other collectives, since no wait pattern looks at them.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>
#include <vector>

#include "analyzer/sync/sync_points.hpp"

namespace waitdiag {

struct Constructors {
  std::vector<CollectiveInstance> instances;  // on the parent communicator, in calling order
  std::vector<CollectiveMember> members;      // of all instances, in communicator rank order
  std::span<const CollectiveMember> members_of(const CollectiveInstance& instance) const {
    return std::span(members).subspan(instance.first_member, instance.members);
  }
};

// The k-th constructor of every member on one communicator is one instance. Where the members do not agree
// how many there are, nothing tells which belong together, and none of that communicator is matched.
Constructors match_constructors(const Trace& trace);

}  // namespace waitdiag

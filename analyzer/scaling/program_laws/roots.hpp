// The roots of collective operations, for any number of ranks.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "analyzer/scaling/program_laws/slot_records.hpp"

namespace waitdiag {

// CollectiveSlot::root of each. `roles`: of their communicators; operations of one name and role may be a series whose roots
// take turns: who is next depends on how many there are, in runs with fewer members, too. Throws TraceError where no rule
// gives the root in all runs.
std::vector<int> find_roots(const Study& study, const std::vector<CollectiveRecords>& records,
                            const std::vector<RoleOfTurns>& roles);

}  // namespace waitdiag

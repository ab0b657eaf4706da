// The roots of collective operations, for any number of ranks.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "analyzer/scaling/program_laws/slot_records.hpp"

namespace waitdiag {

// The root's rank in the communicator: the last one, the number of the turn, or a fixed number, cyclically.
struct RootLaw {
  static constexpr int kNotRooted = -1, kLast = -2, kTurn = -3;
  int place = kNotRooted;
  int parts = 0;  // not 0: the owner of the part `place`, where each member has as many parts in a row

  bool rooted() const { return place != kNotRooted; }
  int among(int members, int turn) const;  // if rooted
};

// That of each operation. `roles`: of their communicators; operations of one name and role may be a series whose roots
// take turns, one by one or after as many operations as each has parts: who is next depends on how many there are, in runs
// with fewer members, too. Throws TraceError where no rule
// gives the root in all runs.
std::vector<RootLaw> find_roots(const Study& study, const std::vector<CollectiveRecords>& records,
                                const std::vector<RoleOfTurns>& roles);

}  // namespace waitdiag

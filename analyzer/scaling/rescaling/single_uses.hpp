// What the only operation of its kind in a communicator takes beyond what the machine's algorithm does: what a first one takes
// beyond later ones, where there are none.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <deque>
#include <vector>

#include "analyzer/scaling/rescaling/scenarios.hpp"

namespace waitdiag {

// `runs`, by size, get traces that say so, which `own` keeps, if the largest run has operations that take far longer than on
// the machine.
void tell_single_uses(std::vector<SizedRun>& runs, Scenarios& scenario, std::deque<Trace>& own);

}  // namespace waitdiag

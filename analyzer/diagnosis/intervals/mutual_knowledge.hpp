// What the two sides of every wait know of each other when the wait begins.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "analyzer/diagnosis/intervals/causal_knowledge.hpp"
#include "analyzer/diagnosis/patterns/wait_states.hpp"

namespace waitdiag {

struct MutualKnowledge {
  CausalKnowledge::Known of_cause;   // what the victim knows of the cause
  CausalKnowledge::Known of_victim;  // and the other way round
};

// One entry for each wait, in their order.
std::vector<MutualKnowledge> mutual_knowledge(const Trace& trace, const SyncPoints& sync,
                                              const WaitStates& states);

}  // namespace waitdiag

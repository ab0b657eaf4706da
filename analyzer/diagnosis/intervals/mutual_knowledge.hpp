// What the two sides of every wait know of each other when the wait begins.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "analyzer/diagnosis/detection/wait_states.hpp"
#include "analyzer/diagnosis/intervals/causal_knowledge.hpp"
#include "analyzer/diagnosis/intervals/work_ahead.hpp"

namespace waitdiag {

struct MutualKnowledge {
  CausalKnowledge::Known of_cause;   // what the victim knows of the cause
  CausalKnowledge::Known of_victim;  // and the other way round
};

struct AllMutualKnowledge {
  std::vector<MutualKnowledge> of_waits;  // in their order
  std::uint64_t forgotten = 0;            // CausalKnowledge::forgotten()
};
AllMutualKnowledge mutual_knowledge(const Trace& trace, const SyncPoints& sync, const WaitStates& states,
                                    const WorkAhead& work);

}  // namespace waitdiag

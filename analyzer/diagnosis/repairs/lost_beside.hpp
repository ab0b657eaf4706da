// Other processes take the processor of a rank while it computes, the more often the longer it does: without what a repair
// saves, that part of the time without a processor does not come about either.
//
//   gap    [===== other code =====|== cause ==|.. processor taken away ..]
//   saved                          [== all ===]          [.. a third of it ..]
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>
#include <vector>

#include "analyzer/diagnosis/activities/stalled_calls.hpp"
#include "analyzer/diagnosis/retiming/dependencies.hpp"
#include "analyzer/diagnosis/retiming/retime.hpp"

namespace waitdiag {

// `changes`: of each of the causes.
void add_lost_beside(const Trace& trace, const StalledCalls& stalled, const Dependencies& dependencies,
                     std::span<const CallPathId> causes, std::vector<Change>& changes);

}  // namespace waitdiag

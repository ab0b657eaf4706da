// What a repair saves where tasks are handed out one by one (task_pools.hpp).
//
// What a worker runs longer than the others delays nobody at once: the server has others to serve. So waits tell
// nothing of it but at the end, and blame whoever got the last tasks. The tasks themselves tell: the time of one, of
// those that a worker ran, beside that of the others.
//
//   every worker has its own tasks   as many as the others, and the slow one is done last: what it ran longer goes
//   tasks go to whoever is free      the slow one ran fewer: without what it ran longer it takes tasks of the others, and
//                                    all are done sooner. The last ones are a matter of chance: an error is told.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>

#include "analyzer/diagnosis/repairs/cause_places.hpp"
#include "analyzer/diagnosis/retiming/retime.hpp"
#include "analyzer/diagnosis/serving/task_pools.hpp"

namespace waitdiag {

// What a cause loses in tasks, in addition to what it loses so far.
void repair_tasks(const Trace& trace, const CausePlaces& places, std::span<const TaskPool> pools,
                  std::span<Change> changes);

}  // namespace waitdiag

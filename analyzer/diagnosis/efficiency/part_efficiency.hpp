// The POP efficiency tree of each part of a run: the whole, the time before, in and after the time steps, the
// steps one by one or in groups, and the outermost regions that the user marked.
//
// Every process takes its own time for a part, from its own begin to its own end; the longest of these times
// stands for the run time in the tree (as in TALP's regions: no rank is charged for being at another step
// than others). Computation, MPI time and waiting of the parts of steps add up to the run's; a region covers
// the time between entering and leaving it, over all its visits.
//
// The second tree uses the ideal time of the part (retiming/part_times.hpp) instead of the one derived from
// waits.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <vector>

#include "analyzer/diagnosis/efficiency/efficiency.hpp"
#include "analyzer/diagnosis/efficiency/parts_in_time.hpp"
#include "analyzer/diagnosis/repairs/what_if.hpp"
#include "analyzer/diagnosis/steps/parts.hpp"

namespace waitdiag {

struct PartEfficiency {
  Part part;
  Duration time{};      // the longest of all processes; of the run: first begin to last end
  TimeTotals totals{};  // of all processes, by the thread that initialised MPI
  EfficiencyTree tree{};
  EfficiencyTree on_path{};  // by the critical path; see add_critical_path()
  Duration path_time{};      // of the critical path, in this part
};

// Parts in which no process spent any time are left out, and so are regions that not all processes entered;
// regions come last, in the order in which they were first entered. `most_groups`: see Parts.
std::vector<PartEfficiency> efficiency_by_part(const Trace& trace, const WaitStates& states,
                                               const Steps& steps, std::uint32_t most_groups);

// `parts` of the same steps and as many groups; `what_if` of its run.
void add_critical_path(const PartsInTime& parts, const WhatIf& what_if, std::vector<PartEfficiency>& rows);

}  // namespace waitdiag

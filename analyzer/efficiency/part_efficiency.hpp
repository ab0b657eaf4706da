// The POP efficiency tree of each part of a run: the whole, the time before, in and behind the time steps,
// and the steps one by one or several in a row.
//
// Every process takes its own time for a part, from its own begin to its own end; the longest of them stands
// for the run time in the tree (as in TALP's regions: where ranks are at different steps at the same time,
// none of them is charged for that). Computation, MPI time and waiting of the parts add up to the run's.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <vector>

#include "analyzer/efficiency/efficiency.hpp"
#include "analyzer/steps/parts.hpp"

namespace waitdiag {

struct PartEfficiency {
  Part part;
  Duration time{};      // the longest of all processes; of the run: first begin to last end
  TimeTotals totals{};  // of all processes, by the thread that initialised MPI
  EfficiencyTree tree{};
};

// Parts in which nobody spent any time are left out. `most_groups`: see Parts.
std::vector<PartEfficiency> efficiency_by_part(const Trace& trace, const WaitStates& states,
                                               const Steps& steps, std::uint32_t most_groups);

}  // namespace waitdiag

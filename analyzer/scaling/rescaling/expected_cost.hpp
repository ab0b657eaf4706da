// What a rescaled run would cost to make: told before it is made.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "analyzer/scaling/rescaling/rescale.hpp"

namespace waitdiag {

struct ExpectedCost {
  double calls = 0;   // of all ranks
  double growth = 1;  // each doubling of the ranks doubles the calls, times this
  double memory_bytes = 0, cpu_s = 0;
};

// From the calls of the three largest sizes that were recorded, for their number may grow; no laws are found for it.
// `runs`: by size.
ExpectedCost expected_cost(const std::vector<SizedRun>& runs, const RunSize& target, bool all_iterations);

// Throws TraceError where this machine has less memory.
void check_cost(const std::vector<SizedRun>& runs, const RunSize& target, bool all_iterations);

}  // namespace waitdiag

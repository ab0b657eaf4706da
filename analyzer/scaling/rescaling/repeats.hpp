// Recorded runs as they come: the time it takes to start them is the launcher's, and runs of one size differ.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "analyzer/scaling/rescaling/rescale.hpp"

namespace waitdiag {

struct Repeats {
  std::size_t left_out = 0;  // runs
  double longer = 0;         // what the longest of them took more than the one that stays, relative
};

// Of runs of one size (ranks and problem) the fastest after MPI_Init stays: whatever disturbs a run makes it
// slower. `runs` are sorted by size. Throws TraceError where they do not the same.
Repeats keep_fastest(std::vector<SizedRun>& runs);

}  // namespace waitdiag

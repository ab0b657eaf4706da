// Repeated runs: the time to start them belongs to the launcher, and runs of one size differ.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "analyzer/scaling/rescaling/rescale.hpp"

namespace waitdiag {

struct Repeats {
  std::size_t left_out = 0;  // runs
  double longer = 0;         // how much longer the longest of them took than the one that is kept, relative
};

// Of the runs of one size (ranks and problem), the one that is fastest after MPI_Init is kept: disturbances
// make a run slower. `runs` are sorted by size. Throws TraceError where they do not do the same.
Repeats keep_fastest(std::vector<SizedRun>& runs);

}  // namespace waitdiag

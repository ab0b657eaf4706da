// What changed from one run, or set of runs, to another.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "analyzer/results/comparison.hpp"
#include "analyzer/results/report.hpp"

namespace waitdiag {

struct ComparedRun {
  std::string source;  // as the user named it
  Report report;
};

struct CompareOptions {
  double threshold = 0.03;  // of the earlier run time: less does not count as a difference
  double p = 0.05;          // with several runs: how often chance may look like a difference (two-sided)
};

// "a is a run of solver, b one of mesher": two runs that name different programs; empty if there are none. A
// difference between such runs says nothing about either program.
std::string different_programs(const std::vector<ComparedRun>& before, const std::vector<ComparedRun>& after);

// Neither side is empty. The outcome is about the run time: its median (with several runs per side, the
// Hodges-Lehmann shift) has to change by more than the threshold, and with several runs per side the rank
// test has to agree; where it cannot, the outcome is Unsure and the sentence says how many runs are missing.
// It is also Unsure if a run is incomplete.
Comparison compare(const std::vector<ComparedRun>& before, const std::vector<ComparedRun>& after,
                   const CompareOptions& options = {});

}  // namespace waitdiag

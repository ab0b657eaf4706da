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
  double threshold = 0.03;  // of the run time before: less is no difference
  double p = 0.05;          // with several runs: how often chance may look like a difference (two-sided)
};

// "a is a run of solver, b one of mesher": two runs that name programs, and not the same one; empty if there
// are none. Their difference says nothing about either.
std::string different_programs(const std::vector<ComparedRun>& before, const std::vector<ComparedRun>& after);

// Neither side is empty. The outcome is about the run time: its median (with several runs a side the
// Hodges-Lehmann shift) has to change by more than the threshold, and with several runs a side the rank test
// has to agree; where it cannot, the outcome is Unsure and the sentence says how many runs are missing. So it
// is if a run lacks a part of itself.
Comparison compare(const std::vector<ComparedRun>& before, const std::vector<ComparedRun>& after,
                   const CompareOptions& options = {});

}  // namespace waitdiag

// How a report describes threads that never call MPI.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include "analyzer/results/report.hpp"

namespace waitdiag {

// "that never call MPI: 2 of rank 1, 3.1 s of processor time: heavy_kernel() 96 %"; for the busiest ranks;
// the others are counted. Empty where there are no such threads.
std::string worker_threads_sentence(const Report& report);

}  // namespace waitdiag

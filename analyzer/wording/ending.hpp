// How a run that did not reach MPI_Finalize ended.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "analyzer/results/report.hpp"

namespace waitdiag {

// "Aborted by rank 3 at 12.4 s in main/check/MPI_Abort (code 8); ranks 0-2 were waiting in
// main/solve/MPI_Allreduce."
std::string ending_sentence(const Report::Ending& ending);

// Calls of different ranks on the same call path.
struct WaitingPlace {
  std::string call_path, position;
  double longest_s = 0;
  std::vector<std::int64_t> ranks;
};

// The calls that were still open, those with most ranks first.
std::vector<WaitingPlace> open_places(const Report::Ending& ending, std::int64_t without_rank);

}  // namespace waitdiag

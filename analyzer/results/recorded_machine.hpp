// A machine that was found in recorded runs, and how well it is known. Times are seconds.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace waitdiag {

struct RecordedMachineReport {
  struct Level {
    std::string name{};
    double latency_s = 0, bytes_per_s = 0;
    // Standard errors of the logarithms: 0.1 is about 10 %. Above kKnown the runs do not tell, it is assumed.
    static constexpr double kKnown = 0.4;
    double latency_error = 0, bandwidth_error = 0;
    std::uint64_t messages = 0;  // from point to point, in all runs
    std::uint64_t least_bytes = 0, most_bytes = 0;
  };
  // A recorded run, replayed on the machine; without MPI_Init.
  struct Check {
    std::string run{};
    std::uint64_t ranks = 0;
    double recorded_s = 0, replayed_s = 0;
  };
  std::uint64_t fitted_calls = 0;  // whose times were compared with those of a replay
  std::vector<Level> levels{};     // outermost first
  std::vector<Check> checks{};     // by size
  std::vector<std::string> notes{};
  std::string collectives{};  // whose algorithms
};

}  // namespace waitdiag

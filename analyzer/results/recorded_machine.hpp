// A machine that was derived from recorded runs, and how well it is known. Times are seconds.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "analyzer/results/fields.hpp"

namespace waitdiag {

struct RecordedMachineReport {
  struct Level {
    std::string name{};
    double latency_s = 0, bytes_per_s = 0;
    // Standard errors of the logarithms: 0.1 is about 10 %. Above kKnown the runs do not determine a value:
    // it is assumed.
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

void fields(auto& visit, Of<RecordedMachineReport::Level> auto& level) {
  visit("name", level.name);
  visit("latency_s", level.latency_s);
  visit("latency_error", null_for(level.latency_error, std::numeric_limits<double>::infinity()),
        "standard error of its natural logarithm; null: not known from these runs, assumed");
  visit("bytes_per_s", level.bytes_per_s);
  visit("bandwidth_error", null_for(level.bandwidth_error, std::numeric_limits<double>::infinity()));
  visit("messages", level.messages, "from point to point, in all runs");
  visit("least_bytes", level.least_bytes);
  visit("most_bytes", level.most_bytes);
}

void fields(auto& visit, Of<RecordedMachineReport::Check> auto& check) {
  visit("run", check.run);
  visit("ranks", check.ranks);
  visit("recorded_s", check.recorded_s);
  visit("replayed_s", check.replayed_s);
}

void fields(auto& visit, Of<RecordedMachineReport> auto& machine) {
  visit("collectives", machine.collectives, "the table of algorithms");
  visit("levels", machine.levels, "outermost first");
  visit("checks", machine.checks, "the recorded runs, replayed on it, without MPI_Init");
  visit("notes", machine.notes);
  visit("fitted_calls", machine.fitted_calls, "whose times were compared with those of a replay", kLater);
}

}  // namespace waitdiag

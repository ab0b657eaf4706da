// A machine from measurements: its levels, the cost of messages, where the protocol changes, what is shared.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "analyzer/simulation/calibration/laboratory.hpp"
#include "analyzer/simulation/calibration/levels.hpp"
#include "analyzer/simulation/machine/machine.hpp"

namespace waitdiag {

struct CalibrationOptions {
  std::uint64_t largest_bytes = 4 << 20;  // of a message
  // Called with one line that says what is measured next.
  std::function<void(const std::string&)> progress{};
};

struct Calibration {
  struct Level {
    std::string name;
    RankPair pair;                     // whose messages were measured
    std::vector<TimedSize> samples{};  // half round trips
    FitError error{};                  // of the machine, for these
    std::size_t other_sizes = 0;       // also measured, between the samples, but not fitted
    FitError other_error{};            // of the machine, for these
  };
  Machine machine;
  std::vector<Level> levels;         // as in `machine`
  std::vector<std::string> assumed;  // what could not be measured
};

Calibration calibrate(Laboratory& laboratory, const CalibrationOptions& options);

// A machine file, with the measurements behind it in comments. parse_machine() reads it.
std::string machine_text(const Calibration& calibration);

}  // namespace waitdiag

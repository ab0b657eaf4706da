// A calibration as a machine file.
//
// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/simulation/machine/machine_text.hpp"

#include <array>
#include <cstdio>

#include "analyzer/simulation/calibration/calibrate.hpp"

namespace waitdiag {
namespace {

std::string percent(double share) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%+.1f %%", 100 * share);
  return text.data();
}

std::string error_text(const FitError& error) {
  return percent(error.typical).substr(1) + ", at worst " + percent(error.worst) + " for " +
         std::to_string(error.worst_bytes) + " bytes";
}

std::string measured_text(const Calibration::Level& measured) {
  return "Ranks " + std::to_string(measured.pair.from) + " and " + std::to_string(measured.pair.to) + ", " +
         std::to_string(measured.samples.size()) + " sizes; error " + error_text(measured.error) + "; for " +
         std::to_string(measured.other_sizes) + " sizes that were not fitted " +
         error_text(measured.other_error) + ".";
}

}  // namespace

std::string machine_text(const Calibration& calibration) {
  MachineComments comments;
  comments.head.push_back(
      "Measured by waitdiag-calibrate. What a run computes is not in here: --compute-scale.");
  for (const std::string& note : calibration.assumed) comments.head.push_back("Assumed: " + note + ".");
  for (const Calibration::Level& level : calibration.levels) comments.levels.push_back(measured_text(level));
  return machine_text(calibration.machine, comments);
}

}  // namespace waitdiag

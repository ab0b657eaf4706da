// What is judged, and how strictly: the defaults, and waitdiag.toml.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <vector>

namespace waitdiag {

struct MetricRule {
  bool judged = true;
  bool lower_is_better = true;
  double threshold = 0.0275;     // a change by a smaller part of the reference does not count
  double at_least = 0;           // nor does less than this, in the unit of the figure
  double at_least_of_total = 0;  // nor does less than this part of the time of all ranks
};

struct CheckSettings {
  std::string baseline;              // directory of the store; relative to the directory of the file
  std::vector<std::string> command;  // the launch line of the case
  std::size_t runs = 0;              // of a night; 0: not said
  double alpha = 0.05;               // share of the alarms that may be false (Benjamini and Hochberg)
  std::size_t nights = 30;           // of reference, at most: the latest ones of the level
  std::size_t known_nights = 5;      // of reference needed before a single night may raise the alarm
  std::map<std::string, std::string> labels{};  // into the fingerprint: problem, host kind, build ...
  std::vector<std::string> allow{};  // structure that may change: figures, call paths, MPI functions; * and ?
  std::map<std::string, MetricRule> metrics{};
};

// Run time, computation, waiting and parallel efficiency; calls that poll may change in number.
CheckSettings default_check_settings();

// The file's settings; those of [case.NAME] override those of all cases. `source` names the text in error
// messages. Throws TraceError with file, line and column for anything unknown or unusable.
CheckSettings read_check_settings(const std::string& text, const std::string& source,
                                  const std::string& case_name);

}  // namespace waitdiag

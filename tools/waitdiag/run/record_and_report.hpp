// Records a program, and reports on the recording at once.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "tools/waitdiag/launching/recorder_options.hpp"
#include "tools/waitdiag/output/text_output.hpp"

namespace waitdiag::tool {

struct RunOptions {
  std::vector<std::string> launch_line;
  std::string directory;
  RecorderOptions recorder;
  bool page = false;  // also write report.html into the archive directory
  TextOutput text;
};

// Returns the program's exit status. Throws UsageError and CannotStart.
int record_and_report(const RunOptions& options);

}  // namespace waitdiag::tool

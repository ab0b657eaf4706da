// Runs a program in the background for a limited time: its output goes to a file.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include "tools/waitdiag/launching/launch.hpp"

namespace waitdiag::tool {

struct TimedEnd {
  int status = 0;        // as from run_child()
  bool stopped = false;  // the time was up, and the program was ended with all processes that it started
  int told = 0;          // the program was ended because we got this signal: the caller has to end, too
};

// stdin: ours, unless that is a terminal. stdout: discarded. stderr: `messages`. Throws CannotStart.
TimedEnd run_for(const Launch& launch, unsigned seconds, const std::string& messages);

}  // namespace waitdiag::tool

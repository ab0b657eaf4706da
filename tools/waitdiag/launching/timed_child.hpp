// Runs a program for a limited time, out of the way: its output goes to a file.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include "tools/waitdiag/launching/launch.hpp"

namespace waitdiag::tool {

struct TimedEnd {
  int status = 0;        // as of run_child()
  bool stopped = false;  // the time was up, and the program with all it started was ended
  int told = 0;          // so it was because this signal told us to end: the caller has to
};

// stdin: ours, unless that is a terminal. stdout: nowhere. stderr: `messages`. Throws CannotStart.
TimedEnd run_for(const Launch& launch, unsigned seconds, const std::string& messages);

}  // namespace waitdiag::tool

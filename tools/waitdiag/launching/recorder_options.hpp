// The options of commands that record: which samples are taken.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tools/waitdiag/launching/launch.hpp"

namespace CLI {
class App;
}

namespace waitdiag::tool {

struct RecorderOptions {
  const char* sampling = nullptr;  // nullptr: as WAITPROF_SAMPLING says
  unsigned sampling_hz = 0;        // 0: as WAITPROF_SAMPLING_HZ says
};

void add_recorder_options(CLI::App& command, RecorderOptions& options);
Settings recorder_settings(const RecorderOptions& options);

}  // namespace waitdiag::tool

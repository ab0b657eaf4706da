// `waitdiag export`: the formats asked for, and the code that writes them.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>

#include "tools/waitdiag/input/open_trace.hpp"

namespace waitdiag::tool {

struct ExportOptions {
  TraceSource source;
  bool text = false;  // on stdout
  std::string perfetto, speedscope, cube, paraver, folded, csv,
      json;                              // files, and a directory; empty: not asked for
  std::string window, ranks;             // "from:to" in seconds, "first-last"; empty: all
  std::uint64_t most_calls = 1'000'000;  // in a timeline without a window; viewers open that within seconds
  bool quiet = false;
};

// Throws UsageError, TraceError, and std::runtime_error when a file cannot be written.
void write_exports(const ExportOptions& options);

}  // namespace waitdiag::tool

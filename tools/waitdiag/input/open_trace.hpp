// The trace a user named: an OTF2 archive, its anchor file, or the text notation.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include "analyzer/trace/model/trace.hpp"
#include "tools/waitdiag/command_line/progress.hpp"

namespace CLI {
class App;
}

namespace waitdiag::tool {

struct TraceSource {
  std::string path;
  bool text = false;            // the text notation, whatever the file's name is
  bool partial = false;         // read what is left of a damaged archive
  bool correct_clocks = false;  // move events that ended before their cause
};

// The positional argument, --text and --partial, the same for every command that reads a trace.
void add_trace_source(CLI::App& command, TraceSource& source);

// --correct-clocks
void add_clock_correction(CLI::App& command, bool& correct_clocks);

// Files called *.case and *.trace are taken as text notation too. Throws TraceError; also for an archive that
// has lost a part of its events, unless `partial`.
Trace open_trace(const TraceSource& source, Progress& progress);

}  // namespace waitdiag::tool

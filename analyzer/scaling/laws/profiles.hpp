// Where the time of a run goes, by call path: the input for models of several runs.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <map>
#include <string>

#include "analyzer/trace/model/trace.hpp"

namespace waitdiag {

struct RunProfile {
  struct Entry {
    double mean_s = 0, most_s = 0;  // exclusive time: of an average rank; of the rank with most
    bool communication = false;
  };
  std::string source{}, program{};  // as the user named it; empty if unknown
  std::size_t ranks = 0;
  double runtime_s = 0;                       // without the start
  double startup_s = 0;                       // until the last rank has left MPI_Init
  std::string problem{};                      // as recorded with WAITPROF_PROBLEM; empty if unknown
  std::map<std::string, Entry> call_paths{};  // by name; time of the measurement itself is left out
};

// From the beginning until the last rank has left MPI_Init, in seconds; 0: no rank calls it.
double starting_s(const Trace& trace);

// Throws TraceError if the recording has only excerpts of the run, which do not show how a run grows.
void need_whole_run(const Trace& trace, const std::string& source);

// Throws as need_whole_run. Covers each rank's main thread from when it leaves MPI_Init: the time before
// belongs to the launcher. MPI_Finalize is a call path like any other.
RunProfile profile_run(const Trace& trace, const std::string& source);

}  // namespace waitdiag

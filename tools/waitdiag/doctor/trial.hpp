// Starts a launch line with the recorder for a short time, and says what came of it.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "tools/waitdiag/doctor/finding.hpp"
#include "tools/waitdiag/launching/program_probe.hpp"

namespace waitdiag::tool {

struct Trial {
  std::vector<std::string> launch_line;
  std::string program;              // its file, ""
  ProgramProbe probe{};             // of that file
  unsigned seconds = 0;             // at most
  std::filesystem::path directory;  // new, for this trial only: everything is written there
};

// What the trial left.
struct TrialResult {
  int status = 0;
  bool stopped = false;
  int told = 0;                      // a signal that tells us to end
  std::vector<std::size_t> ranks{};  // of each archive
  std::string mpi{};                 // "MPICH 4.0.2"
  std::uint64_t events = 0;
  std::vector<std::string> complaints{};  // of the recorder, and why an archive could not be read
  std::vector<std::string> tools{};       // other MPI tools that were there
  std::string last_words{};               // of the program, on stderr
};

// Throws CannotStart.
TrialResult try_recording(const Trial& trial);

Findings trial_findings(const Trial& trial, const TrialResult& result);

}  // namespace waitdiag::tool

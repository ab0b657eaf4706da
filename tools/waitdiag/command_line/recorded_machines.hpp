// The machines of recorded runs, each derived once.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <map>
#include <span>
#include <string>
#include <vector>

#include "analyzer/scaling/rescaling/predict_rescaled.hpp"
#include "analyzer/simulation/recorded_machine/recorded_machine.hpp"
#include "tools/waitdiag/command_line/progress.hpp"

namespace waitdiag::tool {

// Whether `--machine` names the machine on which the runs were recorded, which is also its default.
inline bool is_recorded_machine(const std::string& name) {
  return name.empty() || name == "recorded";
}

class RecordedMachines {
 public:
  explicit RecordedMachines(Progress& progress) : progress_(progress) {}
  const RecordedMachine& of(std::span<const SizedRun> runs);
  const RecordedMachine& of(const RunOfMachine& run) { return of(std::vector<RunOfMachine>{run}); }
  // The machine that was derived from the most runs.
  const RecordedMachine& of_most() const;

 private:
  const RecordedMachine& of(const std::vector<RunOfMachine>& runs);
  Progress& progress_;
  std::map<std::vector<const Trace*>, RecordedMachine> found_;
};

// Writes the file of `--write-machine`; does nothing if `file` is empty.
void write_machine(const RecordedMachine& machine, const std::string& file);

}  // namespace waitdiag::tool

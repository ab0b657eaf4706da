// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/simulation/recorded_machine/recorded_machines.hpp"

#include <utility>

namespace waitdiag {

const RecordedMachine& RecordedMachines::of(const std::vector<RunOfMachine>& runs) {
  std::vector<const Trace*> key;
  for (const RunOfMachine& run : runs) key.push_back(run.trace);
  const auto known = found_.find(key);
  if (known != found_.end()) return asked_for(known->second, runs.size());
  std::vector<RunOfMachine> matched = runs;
  for (RunOfMachine& run : matched)
    if (run.sync == nullptr) run.sync = &matches_of(*run.trace);
  return asked_for(found_.emplace(std::move(key), find_recorded_machine(matched)).first->second, runs.size());
}

const RecordedMachine& RecordedMachines::asked_for(const RecordedMachine& machine, std::size_t runs) {
  if (runs >= most_runs_) {
    most_runs_ = runs;
    of_most_ = &machine;
  }
  return machine;
}

const SyncPoints& RecordedMachines::matches_of(const Trace& trace) {
  const auto known = matches_.find(&trace);
  return known != matches_.end() ? known->second : matches_.emplace(&trace, match(trace)).first->second;
}

}  // namespace waitdiag

// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/simulation/recorded_machine/recorded_machines.hpp"

#include <algorithm>
#include <utility>

namespace waitdiag {

const RecordedMachine& RecordedMachines::of(const std::vector<RunOfMachine>& runs) {
  std::vector<const Trace*> key;
  for (const RunOfMachine& run : runs) key.push_back(run.trace);
  const auto known = found_.find(key);
  if (known != found_.end()) return known->second;
  std::vector<RunOfMachine> matched = runs;
  for (RunOfMachine& run : matched)
    if (run.sync == nullptr) run.sync = &matches_of(*run.trace);
  return found_.emplace(std::move(key), find_recorded_machine(matched)).first->second;
}

const SyncPoints& RecordedMachines::matches_of(const Trace& trace) {
  const auto known = matches_.find(&trace);
  return known != matches_.end() ? known->second : matches_.emplace(&trace, match(trace)).first->second;
}

const RecordedMachine* RecordedMachines::of_most() const {
  const auto most = std::ranges::max_element(found_, {}, [](const auto& one) { return one.first.size(); });
  return most == found_.end() ? nullptr : &most->second;
}

}  // namespace waitdiag

// SPDX-License-Identifier: BSD-3-Clause
#include "tools/waitdiag/command_line/recorded_machines.hpp"

#include <algorithm>
#include <ostream>

#include "tools/waitdiag/command_line/text_output.hpp"

namespace waitdiag::tool {

const RecordedMachine& RecordedMachines::of(std::span<const SizedRun> runs) {
  std::vector<RunOfMachine> list;
  for (const SizedRun& run : runs) list.push_back({run.source.trace, run.source.name});
  return of(list);
}

const RecordedMachine& RecordedMachines::of(const std::vector<RunOfMachine>& runs) {
  std::vector<const Trace*> key;
  for (const RunOfMachine& run : runs) key.push_back(run.trace);
  const auto known = found_.find(key);
  if (known != found_.end()) return known->second;
  progress_.show("looking for the machine in the runs", 0);
  return found_.emplace(std::move(key), find_recorded_machine(runs)).first->second;
}

const RecordedMachine& RecordedMachines::of_most() const {
  const auto most = std::ranges::max_element(found_, {}, [](const auto& one) { return one.first.size(); });
  return most->second;
}

void write_machine(const RecordedMachine& machine, const std::string& file) {
  if (file.empty()) return;
  write_output_file(file, [&machine](std::ostream& out) { out << machine_text(machine); });
}

}  // namespace waitdiag::tool

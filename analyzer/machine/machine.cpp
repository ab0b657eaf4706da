// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/machine/machine.hpp"

#include <algorithm>
#include <fstream>
#include <sstream>

#include "analyzer/model/trace_error.hpp"

namespace waitdiag {
namespace {

template <typename Entry>
const Entry* entry_of(const std::vector<Entry>& table, std::uint64_t bytes) {
  const Entry* found = nullptr;
  for (const Entry& entry : table)
    if (entry.from <= bytes) found = &entry;
  return found;
}

}  // namespace

Machine ideal_machine() {
  Machine machine;
  machine.name = "ideal network";
  return machine;
}

const SizeInterval* interval_of(const MachineLevel& level, std::uint64_t bytes) {
  return entry_of(level.intervals, bytes);
}
const MessageOverhead* overhead_of(const Machine& machine, std::uint64_t bytes) {
  return entry_of(machine.overheads, bytes);
}

Machine find_machine(const std::string& name_or_file) {
  const auto& ready = ready_machines();
  const auto known = std::find_if(ready.begin(), ready.end(),
                                  [&](const ReadyMachine& machine) { return name_or_file == machine.name; });
  if (known != ready.end()) return parse_machine(known->text, std::string(known->name) + ".toml");
  std::ifstream file(name_or_file, std::ios::binary);
  std::ostringstream text;
  if (file) text << file.rdbuf();
  if (file) return parse_machine(text.str(), name_or_file);
  std::string names;
  for (const ReadyMachine& machine : ready) names += (names.empty() ? "" : ", ") + std::string(machine.name);
  throw TraceError("no machine called " + name_or_file + " and no file of that name; there are " + names +
                   ", or give a machine file (*.toml)");
}

}  // namespace waitdiag

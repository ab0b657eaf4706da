// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/simulation/machine/machine.hpp"

#include <algorithm>

#include "analyzer/simulation/machine/collective_table.hpp"
#include "analyzer/simulation/machine/text_file.hpp"
#include "analyzer/trace/model/trace_error.hpp"

namespace waitdiag {
namespace {

// An error in the table that a machine file names is reported for that line of the machine file.
void check_collectives(const Machine& machine) try {
  find_collectives(machine.collectives);
} catch (const TraceError& error) {
  throw TraceError(machine.collectives_place + ": " + error.what());
}

}  // namespace

Machine ideal_machine() {
  Machine machine;
  machine.name = "ideal network";
  return machine;
}

Machine with_computation_of(Machine machine, const Machine& other) {
  machine.name += " with the computation of " + other.name;
  machine.compute_scale = other.compute_scale;
  machine.rank_scales = other.rank_scales;
  machine.call_path_scales = other.call_path_scales;
  machine.reduction_ns_per_byte = other.reduction_ns_per_byte;
  return machine;
}

std::size_t node_level(const Machine& machine) {
  const auto named = std::ranges::find(machine.levels, "node", &MachineLevel::name);
  return named == machine.levels.end() ? 0 : static_cast<std::size_t>(named - machine.levels.begin());
}

Machine find_machine(const std::string& name_or_file) {
  const auto& ready = ready_machines();
  const auto known = std::find_if(ready.begin(), ready.end(),
                                  [&](const ReadyMachine& machine) { return name_or_file == machine.name; });
  if (known != ready.end()) return parse_machine(known->text, std::string(known->name) + ".toml");
  if (const auto text = read_text_file(name_or_file)) {
    Machine machine = parse_machine(*text, name_or_file);
    check_collectives(machine);
    return machine;
  }
  std::string names;
  for (const ReadyMachine& machine : ready) names += (names.empty() ? "" : ", ") + std::string(machine.name);
  throw TraceError("no machine called " + name_or_file + " and no file of that name; there are " + names +
                   ", or give a machine file (*.toml)");
}

}  // namespace waitdiag

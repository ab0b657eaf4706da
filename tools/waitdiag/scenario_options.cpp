// SPDX-License-Identifier: BSD-3-Clause
#include "tools/waitdiag/scenario_options.hpp"

#include <fmt/format.h>

#include "analyzer/machine/placement.hpp"
#include "analyzer/machine/text_file.hpp"
#include "analyzer/model/trace_error.hpp"
#include "tools/waitdiag/errors.hpp"
#include "tools/waitdiag/number_of.hpp"
#include "tools/waitdiag/pattern_choice.hpp"
#include "tools/waitdiag/recorded_machines.hpp"

namespace waitdiag::tool {
namespace {

Scenario::Speedup speedup_of(const std::string& text) {
  const std::size_t equals = text.rfind('=');
  const auto factor = equals == std::string::npos ? std::nullopt : number_of(text.substr(equals + 1));
  if (!factor || *factor == 0 || equals == 0)
    throw UsageError("--speedup takes CALLPATH=FACTOR, for example solve=2, not '" + text + "'");
  return {text.substr(0, equals), *factor};
}

// "network=mvs-15k", "compute=other.toml"
Machine swapped(const Machine& machine, const std::string& text) {
  const std::size_t equals = text.find('=');
  const std::string part = text.substr(0, equals);
  if (equals == std::string::npos || equals + 1 == text.size() || (part != "network" && part != "compute"))
    throw UsageError("--swap-machine takes network=MACHINE or compute=MACHINE, not '" + text + "'");
  const Machine other = find_machine(text.substr(equals + 1));
  return part == "network" ? with_computation_of(other, machine) : with_computation_of(machine, other);
}

std::vector<std::uint64_t> mapping_file(const std::string& path, std::size_t ranks) {
  const auto text = read_text_file(path);
  if (!text) throw TraceError("--map takes block, cyclic or a file; cannot read " + path);
  return parse_mapping(*text, path, ranks);
}

}  // namespace

bool wants_recorded_machine(const ScenarioOptions& options) {
  return !options.ideal_network && is_recorded_machine(options.machine);
}

Scenario make_scenario(const ScenarioOptions& options, std::size_t ranks, const RecordedMachine* recorded) {
  Scenario scenario;
  if (wants_recorded_machine(options)) {
    scenario.machine = recorded->machine;
    if (options.map.empty() && options.ranks_per_node == 0 && recorded->cores.size() == ranks) {
      scenario.cores = recorded->cores;
      scenario.recorded_places = true;
    }
  } else {
    scenario.machine = options.ideal_network ? ideal_machine() : find_machine(options.machine);
  }
  if (!options.swap_machine.empty()) scenario.machine = swapped(scenario.machine, options.swap_machine);
  if (options.ranks_per_node > 0) scenario.machine.ranks_per_node = options.ranks_per_node;
  if (options.map == "block") {
    scenario.machine.mapping = Mapping::Block;
  } else if (options.map == "cyclic") {
    scenario.machine.mapping = Mapping::Cyclic;
  } else if (!options.map.empty()) {
    if (options.ranks_per_node > 0)
      throw UsageError("--map " + options.map + " says where every rank runs: leave out --ranks-per-node");
    scenario.cores = mapping_file(options.map, ranks);
  }
  scenario.compute_scale = options.compute_scale;
  scenario.balance = options.balance;
  for (const std::string& text : options.speedup) scenario.speedups.push_back(speedup_of(text));
  scenario.removed_waits = removed_patterns(options.remove_waits);
  return scenario;
}

bool changes_nothing(const ScenarioOptions& options) {
  return wants_recorded_machine(options) && options.swap_machine.empty() && options.map.empty() &&
         options.ranks_per_node == 0 && edits_of(options).empty();
}

std::vector<std::string> edits_of(const ScenarioOptions& options) {
  std::vector<std::string> edits;
  if (options.compute_scale != 1) edits.push_back(fmt::format("compute scale {:g}", options.compute_scale));
  for (const std::string& path : options.balance) edits.push_back("balanced " + path);
  for (const std::string& text : options.speedup) edits.push_back("speedup " + text);
  for (const std::string& id : options.remove_waits) edits.push_back("without waits: " + id);
  return edits;
}

}  // namespace waitdiag::tool

// SPDX-License-Identifier: BSD-3-Clause
#include "tools/waitdiag/predict/scenario_options.hpp"

#include <fmt/format.h>

#include <optional>

#include "analyzer/simulation/machine/placement.hpp"
#include "analyzer/simulation/machine/text_file.hpp"
#include "analyzer/trace/model/trace_error.hpp"
#include "tools/waitdiag/command_line/errors.hpp"
#include "tools/waitdiag/command_line/named_machine.hpp"
#include "tools/waitdiag/command_line/number_of.hpp"
#include "tools/waitdiag/command_line/pattern_choice.hpp"
#include "tools/waitdiag/command_line/recorded_machines.hpp"

namespace waitdiag::tool {
namespace {

Scenario::Speedup speedup_of(const std::string& text) {
  const std::size_t equals = text.rfind('=');
  const auto factor = equals == std::string::npos ? std::nullopt : number_of(text.substr(equals + 1));
  if (!factor || *factor == 0 || equals == 0)
    throw UsageError("--speedup takes CALLPATH=FACTOR, for example solve=2, not '" + text + "'");
  return {text.substr(0, equals), *factor};
}

Absence absence_of(const std::string& text) {
  if (text == "preemption") return {OffReason::Preempted};
  if (text == "blocking") return {OffReason::Blocked};
  if (text == "page-faults") return {OffReason::PageFault};
  const auto word = std::ranges::find(kWaitedForWords, text);
  if (word != std::end(kWaitedForWords))
    return {OffReason::Blocked, WaitedFor(word - std::begin(kWaitedForWords))};
  throw UsageError("--without takes " + absences(", ") + ", not '" + text + "'");
}

// "network=mvs-15k", "compute=other.toml"
struct Swap {
  bool network = false;
  std::string machine{};
};
std::optional<Swap> swap_of(const ScenarioOptions& options) {
  const std::string& text = options.swap_machine;
  if (text.empty()) return std::nullopt;
  const std::size_t equals = text.find('=');
  const std::string part = text.substr(0, equals);
  if (equals == std::string::npos || equals + 1 == text.size() || (part != "network" && part != "compute"))
    throw UsageError("--swap-machine takes network=MACHINE or compute=MACHINE, not '" + text + "'");
  return Swap{part == "network", text.substr(equals + 1)};
}

// A machine by its name, and where ranks are on it, if it is the recorded one.
void take_machine(const std::string& name, const RecordedMachine* recorded, Scenario& scenario) {
  const bool found = is_recorded_machine(name);
  scenario.machine = found ? recorded->machine : named_machine(name);
  scenario.cores = found ? recorded->cores : std::vector<std::uint64_t>();
}

std::vector<std::uint64_t> mapping_file(const std::string& path, std::size_t ranks) {
  const auto text = read_text_file(path);
  if (!text) throw TraceError("--map takes block, cyclic or a file; cannot read " + path);
  return parse_mapping(*text, path, ranks);
}

}  // namespace

std::string absences(const char* separator) {
  std::string text = std::string("preemption") + separator + "blocking" + separator + "page-faults";
  for (const char* const word : kWaitedForWords) text += std::string(separator) + word;
  return text;
}

bool wants_recorded_machine(const ScenarioOptions& options) {
  const auto swap = swap_of(options);
  return (!options.ideal_network && is_recorded_machine(options.machine)) ||
         (swap && is_recorded_machine(swap->machine));
}

Scenario make_scenario(const ScenarioOptions& options, std::size_t ranks, const RecordedMachine* recorded) {
  if (options.ideal_network && !options.machine.empty())
    throw UsageError("--ideal-network is short for --machine ideal: leave out one of them");
  Scenario scenario;
  take_machine(options.ideal_network ? "ideal" : options.machine, recorded, scenario);
  if (const auto swap = swap_of(options)) {
    Scenario other;
    take_machine(swap->machine, recorded, other);
    if (swap->network) std::swap(scenario, other);
    scenario.machine = with_computation_of(scenario.machine, other.machine);
  }
  scenario.recorded_places =
      options.map.empty() && options.ranks_per_node == 0 && scenario.cores.size() == ranks;
  if (!scenario.recorded_places) scenario.cores.clear();
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
  for (const std::string& text : options.without) scenario.without.push_back(absence_of(text));
  scenario.removed_waits = removed_patterns(options.remove_waits);
  return scenario;
}

bool changes_nothing(const ScenarioOptions& options) {
  return wants_recorded_machine(options) && options.swap_machine.empty() && options.map.empty() &&
         options.ranks_per_node == 0 && edits_of(options).empty();
}

bool names_measured_machine(const ScenarioOptions& options) {
  const bool ready = std::ranges::any_of(
      ready_machines(), [&](const ReadyMachine& machine) { return options.machine == machine.name; });
  return !options.ideal_network && !options.machine.empty() && !ready && !wants_recorded_machine(options) &&
         options.swap_machine.empty() && options.map.empty() && options.ranks_per_node == 0 &&
         edits_of(options).empty();
}

std::vector<std::string> edits_of(const ScenarioOptions& options) {
  std::vector<std::string> edits;
  if (options.compute_scale != 1) edits.push_back(fmt::format("compute scale {:g}", options.compute_scale));
  for (const std::string& path : options.balance) edits.push_back("balanced " + path);
  for (const std::string& text : options.speedup) edits.push_back("speedup " + text);
  for (const std::string& text : options.without) edits.push_back("without " + text);
  for (const std::string& cause : options.repair) edits.push_back("repaired " + cause);
  for (const std::string& id : options.remove_waits) edits.push_back("without waits: " + id);
  return edits;
}

}  // namespace waitdiag::tool

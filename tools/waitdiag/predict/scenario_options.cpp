// SPDX-License-Identifier: BSD-3-Clause
#include "tools/waitdiag/predict/scenario_options.hpp"

#include <algorithm>
#include <optional>

#include "analyzer/simulation/machine/text_file.hpp"
#include "analyzer/toml/number_of.hpp"
#include "analyzer/trace/model/trace_error.hpp"
#include "tools/waitdiag/command_line/errors.hpp"
#include "tools/waitdiag/command_line/pattern_choice.hpp"
#include "tools/waitdiag/input/named_machine.hpp"

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
  for (const Absence& absence : absences())
    if (name_of(absence) == text) return absence;
  throw UsageError("--without takes " + absence_names(", ") + ", not '" + text + "'");
}

// "network=mvs-15k", "compute=other.toml"
ScenarioRequest::Swap swap_of(const std::string& text) {
  const std::size_t equals = text.find('=');
  const std::string part = text.substr(0, equals);
  if (equals == std::string::npos || equals + 1 == text.size() || (part != "network" && part != "compute"))
    throw UsageError("--swap-machine takes network=MACHINE or compute=MACHINE, not '" + text + "'");
  using Part = ScenarioRequest::Swap::Part;
  return {part == "network" ? Part::Network : Part::Computation, machine_of(text.substr(equals + 1))};
}

ScenarioRequest::MappingFile mapping_file(const std::string& path) {
  auto text = read_text_file(path);
  if (!text) throw TraceError("--map takes block, cyclic or a file; cannot read " + path);
  return {path, *std::move(text)};
}

void place_ranks(const ScenarioOptions& options, ScenarioRequest& request) {
  request.ranks_per_node = options.ranks_per_node;
  if (options.map == "block") {
    request.mapping = Mapping::Block;
  } else if (options.map == "cyclic") {
    request.mapping = Mapping::Cyclic;
  } else if (!options.map.empty()) {
    if (options.ranks_per_node > 0)
      throw UsageError("--map " + options.map + " says where every rank runs: leave out --ranks-per-node");
    request.mapping_file = mapping_file(options.map);
  }
}

}  // namespace

std::string absence_names(const char* separator) {
  std::string text;
  for (const Absence& absence : absences()) text += (text.empty() ? "" : separator) + name_of(absence);
  return text;
}

ScenarioRequest request_of(const ScenarioOptions& options) {
  if (options.ideal_network && !options.machine.empty())
    throw UsageError("--ideal-network is short for --machine ideal: leave out one of them");
  ScenarioRequest request{.machine = machine_of(options.ideal_network ? "ideal" : options.machine)};
  request.machine_from_file = request.machine && !options.ideal_network && !is_ready_machine(options.machine);
  if (!options.swap_machine.empty()) request.swap = swap_of(options.swap_machine);
  place_ranks(options, request);
  request.compute_scale = options.compute_scale;
  request.balance = options.balance;
  request.repairs = options.repair;
  std::ranges::transform(options.speedup, std::back_inserter(request.speedups), speedup_of);
  std::ranges::transform(options.without, std::back_inserter(request.without), absence_of);
  request.removed_waits = removed_waits(options.remove_waits);
  return request;
}

}  // namespace waitdiag::tool

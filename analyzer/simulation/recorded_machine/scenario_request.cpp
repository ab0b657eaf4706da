// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/simulation/recorded_machine/scenario_request.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "analyzer/simulation/machine/placement.hpp"

namespace waitdiag {
namespace {

// Where ranks are on the machine is known of the recorded one only.
void take_machine(const std::optional<Machine>& machine, const RecordedMachine* recorded,
                  Scenario& scenario) {
  scenario.machine = machine ? *machine : recorded->machine;
  scenario.cores = machine ? std::vector<std::uint64_t>() : recorded->cores;
}

void swap_part(const ScenarioRequest::Swap& swap, const RecordedMachine* recorded, Scenario& scenario) {
  Scenario other;
  take_machine(swap.machine, recorded, other);
  if (swap.part == ScenarioRequest::Swap::Part::Network) std::swap(scenario, other);
  scenario.machine = with_computation_of(scenario.machine, other.machine);
}

bool places_ranks(const ScenarioRequest& request) {
  return request.mapping || request.mapping_file || request.ranks_per_node > 0;
}

bool changes_machine(const ScenarioRequest& request) {
  return request.swap || places_ranks(request) || !edits_of(request).empty();
}

}  // namespace

std::string name_of(const Absence& absence) {
  if (absence.what) return kWaitedForWords[static_cast<std::size_t>(*absence.what)];
  switch (absence.reason) {
    case OffReason::Preempted:
      return "preemption";
    case OffReason::PageFault:
      return "page-faults";
    default:
      return "blocking";
  }
}

const std::vector<Absence>& absences() {
  static const std::vector<Absence> all = [] {
    std::vector<Absence> list{{OffReason::Preempted}, {OffReason::Blocked}, {OffReason::PageFault}};
    for (std::size_t what = 0; what < std::size(kWaitedForWords); ++what)
      list.push_back({OffReason::Blocked, static_cast<WaitedFor>(what)});
    return list;
  }();
  return all;
}

bool wants_recorded_machine(const ScenarioRequest& request) {
  return !request.machine || (request.swap && !request.swap->machine);
}

bool keeps_machine(const ScenarioRequest& request) {
  return !request.machine && !request.swap && !places_ranks(request);
}

bool changes_nothing(const ScenarioRequest& request) {
  return keeps_machine(request) && edits_of(request).empty();
}

bool names_measured_machine(const ScenarioRequest& request) {
  return request.machine && request.machine_from_file && !changes_machine(request);
}

Scenario make_scenario(const ScenarioRequest& request, std::size_t ranks, const RecordedMachine* recorded) {
  Scenario scenario;
  take_machine(request.machine, recorded, scenario);
  if (request.swap) swap_part(*request.swap, recorded, scenario);
  scenario.recorded_places = !places_ranks(request) && scenario.cores.size() == ranks;
  if (!scenario.recorded_places) scenario.cores.clear();
  if (request.ranks_per_node > 0) scenario.machine.ranks_per_node = request.ranks_per_node;
  if (request.mapping) scenario.machine.mapping = *request.mapping;
  if (request.mapping_file)
    scenario.cores = parse_mapping(request.mapping_file->text, request.mapping_file->name, ranks);
  scenario.compute_scale = request.compute_scale;
  scenario.balance = request.balance;
  scenario.speedups = request.speedups;
  scenario.without = request.without;
  for (const RemovedWaits& removed : request.removed_waits)
    scenario.removed_waits.insert(scenario.removed_waits.end(), removed.patterns.begin(),
                                  removed.patterns.end());
  return scenario;
}

ScenarioRequest without_edits(ScenarioRequest request) {
  request.compute_scale = 1;
  request.balance.clear();
  request.speedups.clear();
  request.repairs.clear();
  request.without.clear();
  request.removed_waits.clear();
  return request;
}

std::vector<Edit> edits_of(const ScenarioRequest& request) {
  const ScenarioRequest plain = without_edits(request);
  std::vector<Edit> edits;
  const auto add = [&](const char* option, const char* words, const std::string& what, auto member,
                       auto value) {
    ScenarioRequest alone = plain;
    alone.*member = {std::move(value)};
    edits.push_back({option + (" " + what), words + (" " + what), std::move(alone)});
  };
  if (request.compute_scale != 1)
    add("--compute-scale", "compute scale", fmt::format("{:g}", request.compute_scale),
        &ScenarioRequest::compute_scale, request.compute_scale);
  for (const std::string& path : request.balance)
    add("--balance", "balanced", path, &ScenarioRequest::balance, path);
  for (const Scenario::Speedup& one : request.speedups)
    add("--speedup", "speedup", fmt::format("{}={:g}", one.call_path, one.factor), &ScenarioRequest::speedups,
        one);
  for (const std::string& cause : request.repairs)
    add("--repair", "repaired", cause, &ScenarioRequest::repairs, cause);
  for (const Absence& absence : request.without)
    add("--without", "without", name_of(absence), &ScenarioRequest::without, absence);
  for (const RemovedWaits& removed : request.removed_waits)
    add("--remove-waits", "without waits:", removed.name, &ScenarioRequest::removed_waits, removed);
  return edits;
}

}  // namespace waitdiag

// What to try, before the number of ranks and the machine of the runs are known: a ScenarioRequest, made into a
// scenario for each number of ranks.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "analyzer/simulation/prediction/scenario.hpp"
#include "analyzer/simulation/recorded_machine/recorded_machine.hpp"

namespace waitdiag {

// Waits that nobody has: whole patterns, and the name by which they were chosen.
struct RemovedWaits {
  std::string name{};
  std::vector<PatternId> patterns{};
};

struct ScenarioRequest {
  // A part of another machine: its network, or how fast it computes. Without `machine`: of the recorded one.
  struct Swap {
    enum class Part : std::uint8_t { Network, Computation } part{};
    std::optional<Machine> machine{};
  };
  struct MappingFile {
    std::string name{}, text{};
  };
  std::optional<Machine> machine{};  // empty: the one that is found in the runs
  bool machine_from_file = false;    // it may describe the machine of the runs
  std::optional<Swap> swap{};
  std::optional<Mapping> mapping{};  // empty: the machine's own
  std::optional<MappingFile> mapping_file{};
  std::uint32_t ranks_per_node = 0;  // 0: as many as the machine's nodes have cores
  double compute_scale = 1;
  std::vector<std::string> balance{};
  std::vector<Scenario::Speedup> speedups{};
  std::vector<std::string> repairs{};  // causes of the recorded run, by name
  std::vector<Absence> without{};
  std::vector<RemovedWaits> removed_waits{};
};

// "preemption", "io" ...; what a name stands for, if it stands for anything.
std::string name_of(const Absence& absence);
const std::vector<Absence>& absences();

// Whether the machine of the runs has to be found.
bool wants_recorded_machine(const ScenarioRequest& request);
// Whether no other machine, network or places are wanted.
bool keeps_machine(const ScenarioRequest& request);
// Whether no other computation is wanted either.
bool changes_nothing(const ScenarioRequest& request);
// Whether nothing but the machine of a file is wanted.
bool names_measured_machine(const ScenarioRequest& request);

// `recorded`: the machine of the runs, if wanted; ranks keep their places in a run with the same number of ranks.
// Repairs are left to the caller. Throws TraceError for a mapping file that does not fit.
Scenario make_scenario(const ScenarioRequest& request, std::size_t ranks, const RecordedMachine* recorded);

// One of the what-ifs in a request.
struct Edit {
  std::string option{};     // "--speedup solve=2"
  std::string words{};      // "speedup solve=2"
  ScenarioRequest alone{};  // the request with no other what-if
};
std::vector<Edit> edits_of(const ScenarioRequest& request);
ScenarioRequest without_edits(ScenarioRequest request);

}  // namespace waitdiag

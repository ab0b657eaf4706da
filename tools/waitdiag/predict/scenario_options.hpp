// The options of `waitdiag predict` that say what to try; made into a scenario once the number of ranks is
// known.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "analyzer/simulation/prediction/scenario.hpp"
#include "analyzer/simulation/recorded_machine/recorded_machine.hpp"

namespace CLI {
class App;
}

namespace waitdiag::tool {

struct ScenarioOptions {
  std::string machine{}, map{};  // machine: empty: none named, the recorded one
  bool ideal_network = false;
  double compute_scale = 1;
  std::uint32_t ranks_per_node = 0;
  std::string swap_machine;
  std::vector<std::string> balance, speedup, remove_waits, repair, without;
  std::string sweep;
};

void add_scenario_options(CLI::App& command, ScenarioOptions& options);

// What --without takes.
std::string absences(const char* separator);

// The machine is to be found in the runs.
bool wants_recorded_machine(const ScenarioOptions& options);
// `recorded`: that machine, if wanted; ranks keep their places in a run with the same number of ranks. Throws
// UsageError and TraceError.
Scenario make_scenario(const ScenarioOptions& options, std::size_t ranks, const RecordedMachine* recorded);
// Whether no other machine, network, mapping or computation was given.
bool changes_nothing(const ScenarioOptions& options);
// Whether only a machine file is named, and not one that comes with waitdiag: it may describe the machine of
// the recorded runs.
bool names_measured_machine(const ScenarioOptions& options);
// The what-ifs as the user would write them again.
std::vector<std::string> edits_of(const ScenarioOptions& options);

}  // namespace waitdiag::tool

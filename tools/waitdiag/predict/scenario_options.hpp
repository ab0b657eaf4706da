// The options of `waitdiag predict` that say what to try, in the words of the user; as a request, with every word
// checked.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "analyzer/simulation/recorded_machine/scenario_request.hpp"

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
std::string absence_names(const char* separator);

// Reads the files that are named. Throws UsageError and TraceError.
ScenarioRequest request_of(const ScenarioOptions& options);

}  // namespace waitdiag::tool

// The options of `waitdiag predict` about TH-PP's model of a node: unit times of another machine, load.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "analyzer/simulation/prediction/unit_scaling.hpp"

namespace CLI {
class App;
}

namespace waitdiag::tool {

struct NodeOptions {
  std::string unit_times, write_unit_times;  // files
  bool unloaded = false, as_recorded = false;
};

void add_node_options(CLI::App& command, NodeOptions& options);

// Throws UsageError for options that contradict each other; `another_size`: --ranks, --problem or --run.
void check_node_options(const NodeOptions& options, bool another_size);

struct NodeScaling {
  ComputationFactors factors{};
  std::optional<PredictionReport::UnitTimes> unit_times{};
  std::vector<std::string> edits{};  // as the user would write it again
};
// Also writes the unit times of this run if the options ask for that. Throws TraceError.
NodeScaling scale_nodes(const NodeOptions& options, const Trace& trace);

}  // namespace waitdiag::tool

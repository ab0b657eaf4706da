// The options of `waitdiag predict` about TH-PP's model of a node: unit times of another machine, load.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include "analyzer/predict.hpp"

namespace CLI {
class App;
}

namespace waitdiag::tool {

struct NodeOptions {
  std::string unit_times, write_unit_times;  // files
  bool unloaded = false, as_recorded = false;
};

void add_node_options(CLI::App& command, NodeOptions& options);

// Reads the file of unit times. Throws TraceError, and UsageError for options that contradict each other;
// `another_size`: --ranks, --problem or --run.
NodeRequest node_request(const NodeOptions& options, bool another_size);

// Writes the file of --write-unit-times, if `times` were measured for it.
void write_measured(const std::optional<MeasuredUnitTimes>& times, const std::string& file);

}  // namespace waitdiag::tool

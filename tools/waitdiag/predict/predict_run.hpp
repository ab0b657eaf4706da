// The options of `waitdiag predict`, and its action.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "tools/waitdiag/output/text_output.hpp"
#include "tools/waitdiag/predict/node_options.hpp"
#include "tools/waitdiag/predict/rescale_options.hpp"
#include "tools/waitdiag/predict/scenario_options.hpp"

namespace waitdiag::tool {

struct PredictOptions {
  std::vector<std::string> runs;
  bool as_text = false, partial = false;
  RescaleOptions rescale;
  ScenarioOptions scenario;
  NodeOptions node;
  std::string json, write, alt, html, write_machine;
  bool alt_full = false;
  TextOutput text;
};

// Returns the exit status. Throws UsageError, TraceError and std::runtime_error.
int predict(const PredictOptions& options);

}  // namespace waitdiag::tool

// The lines that a case of a prediction compares (tests/cases/README.md).
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "analyzer/trace/model/trace.hpp"
#include "tools/waitdiag/predict/scenario_options.hpp"

namespace waitdiag::test {

// `machine`: a machine file. The JSON is checked against its schema on the way.
std::vector<std::string> prediction_lines(const Trace& trace, const std::string& machine,
                                          const tool::ScenarioOptions& options);

}  // namespace waitdiag::test

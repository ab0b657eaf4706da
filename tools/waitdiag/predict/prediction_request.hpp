// What the options of `waitdiag predict` ask for, once they are known to go together.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include "analyzer/predict.hpp"
#include "tools/waitdiag/predict/predict_run.hpp"

namespace waitdiag::tool {

// Throws UsageError for options that contradict each other.
PredictionOptions prediction_options(const PredictOptions& command);

// A result goes to standard output, where the text would go.
bool prediction_takes_stdout(const PredictOptions& command);
bool is_graphviz(const std::string& file);

}  // namespace waitdiag::tool

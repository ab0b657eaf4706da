// The page of `waitdiag predict`: measured beside predicted, what-ifs, sweeps, the application logic tree.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include "analyzer/predict.hpp"
#include "tools/waitdiag/command_line/progress.hpp"

namespace waitdiag::tool {

// Takes the diagnosis out of a prediction that was made for a page. Does nothing if `file` is empty.
void write_prediction_page(const std::string& file, Prediction& prediction, Progress& progress);

}  // namespace waitdiag::tool

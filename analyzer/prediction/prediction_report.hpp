// From a prediction to its report: plain data.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "analyzer/prediction/predict.hpp"
#include "analyzer/report/prediction.hpp"

namespace waitdiag {

PredictionReport::Figures predicted_figures(const Predicted& predicted);

// All but the what-ifs as the user gave them, the critical path and sweeps.
PredictionReport make_prediction_report(const Trace& trace, const Scenario& scenario,
                                        const Predicted& predicted);

// What the predicted run time consists of, longest first.
std::vector<PredictionReport::PathEntry> predicted_path(const Trace& predicted, const Machine& machine);

}  // namespace waitdiag

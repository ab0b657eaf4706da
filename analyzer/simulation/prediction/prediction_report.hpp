// From a prediction to its report: plain data.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "analyzer/diagnosis/retiming/critical_path.hpp"
#include "analyzer/results/prediction.hpp"
#include "analyzer/simulation/prediction/predict.hpp"

namespace waitdiag {

PredictionReport::Figures recorded_figures(const Trace& trace);
PredictionReport::Figures predicted_figures(const Predicted& predicted);

// The report except the critical path, sweeps, and the what-ifs as the user gave them.
PredictionReport make_prediction_report(const Trace& trace, const Scenario& scenario,
                                        const Predicted& predicted);

// A predicted run and its critical path.
struct PredictedPath {
  PredictedPath(const Trace& run, const Scenario& scenario);
  explicit PredictedPath(Trace&&, const Scenario&) = delete;
  // What its run time consists of, longest first.
  std::vector<PredictionReport::PathEntry> entries() const;

  const Trace& run;  // which must outlive it
  SyncPoints sync;
  WaitStates states;
  Dependencies dependencies;
  Activities activities;
  CriticalPath path;
};

}  // namespace waitdiag

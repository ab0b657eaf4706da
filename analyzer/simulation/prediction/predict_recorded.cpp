// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/simulation/prediction/predict_recorded.hpp"

namespace waitdiag {

RecordedPrediction::RecordedPrediction(const Trace& trace, const Scenario& scenario, bool all_iterations,
                                       std::optional<SyncPoints> sync)
    : trace_(trace), scenario_(scenario), sync_(std::move(sync)) {
  if (!all_iterations) {
    iterations_.emplace(trace);
    steady_ = predict_steady(*iterations_, scenario, facts_);
    if (steady_) return;
  }
  predictor_.emplace(trace, sync_ ? *std::exchange(sync_, {}) : match(trace));
  prepared_ = predictor_->prepare(scenario);
  all_ = predictor_->predict(*prepared_, scenario, true);
  all_run_ = std::make_shared<const Trace>(predictor_->trace_of(all_, scenario));
}

PredictionReport RecordedPrediction::report(const PredictedPath& path) const {
  PredictionReport report = make_prediction_report(trace_, scenario_, steady_ ? steady_->predicted : all_);
  report.steady = facts_;
  report.critical_path = path_entries(path, steady_ ? steady_->before.get() : nullptr, facts_, scenario_);
  return report;
}

PredictionReport::Figures RecordedPrediction::figures(const Scenario& scenario, bool other_computation) {
  if (!steady_)
    return predicted_figures(other_computation ? predictor_->predict(scenario, false)
                                               : predictor_->predict(*prepared_, scenario, false));
  SteadyIterations facts;
  if (const std::optional<SteadyRun> steady = predict_steady(*iterations_, scenario, facts))
    return predicted_figures(steady->predicted);
  return predicted_figures(Predictor(trace_).predict(scenario, false));
}

}  // namespace waitdiag

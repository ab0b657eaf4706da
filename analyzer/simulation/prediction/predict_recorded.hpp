// A recorded run under a scenario: replays a few of its iterations where they determine the rest, otherwise
// all.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>
#include <optional>

#include "analyzer/simulation/prediction/recorded_iterations.hpp"

namespace waitdiag {

class RecordedPrediction {
 public:
  // `trace` and `scenario` must outlive it. `sync`: match(trace), if it is known. Throws TraceError as
  // Predictor does.
  RecordedPrediction(const Trace& trace, const Scenario& scenario, bool all_iterations,
                     std::optional<SyncPoints> sync = {});

  // The predicted run; only some of its iterations, where they determine the rest.
  const Trace& run() const { return *shared_run(); }
  const std::shared_ptr<const Trace>& shared_run() const { return steady_ ? steady_->run : all_run_; }
  // Only if all iterations were asked for.
  const Predictor& predictor() const { return *predictor_; }
  // The report except sweeps and the what-ifs as the user gave them. `path`: that of run().
  PredictionReport report(const PredictedPath& path) const;
  // The same run under another scenario; `other_computation`: its computation differs from the first one. May
  // be called by several threads.
  PredictionReport::Figures figures(const Scenario& scenario, bool other_computation);

 private:
  const Trace& trace_;
  const Scenario& scenario_;
  std::optional<SyncPoints> sync_;
  std::optional<RecordedIterations> iterations_;
  SteadyIterations facts_;
  std::optional<SteadyRun> steady_;
  // If all iterations are replayed:
  std::optional<Predictor> predictor_;
  std::optional<Prepared> prepared_;
  Predicted all_;
  std::shared_ptr<const Trace> all_run_{};
};

}  // namespace waitdiag

// A prediction for another size: the trace of that size, replayed; the largest run is held out to see how far
// off the prediction is.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "analyzer/results/prediction.hpp"
#include "analyzer/scaling/rescaling/rescale.hpp"
#include "analyzer/simulation/prediction/predict.hpp"
#include "analyzer/simulation/recorded_machine/scenario_request.hpp"

namespace waitdiag {

struct RescaleRequest {
  std::vector<SizedRun> runs{};
  RunSize target{};
  ScenarioRequest scenario{};
  std::vector<int> grid{};      // of the target, as the user gave it; empty: to be found
  bool all_iterations = false;  // replay all of them, even if a few determine the rest
  bool where_recorded = false;  // no other machine or computation: the same as recorded
  bool machine_measured =
      false;  // a machine file is named, and no other computation: it may be the recorded one
};

struct RescaledPrediction {
  PredictionReport report{};  // all except what-ifs as the user gave them, critical path, waits and causes
  Scenario scenario{};
  std::shared_ptr<const Trace> run{};     // predicted; only its first iterations, if those determine the rest
  std::shared_ptr<const Trace> before{};  // in that case: with three periods fewer
  std::optional<RecordedMachine> machine{};  // of the runs, where that was needed
};

// Throws TraceError as Rescaler and Predictor do.
RescaledPrediction predict_rescaled(const RescaleRequest& request);

}  // namespace waitdiag

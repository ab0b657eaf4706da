// A prediction for another size: the trace of that size, replayed; the largest run is held out to see how far
// off the prediction is.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "analyzer/results/prediction.hpp"
#include "analyzer/scaling/rescaling/rescale.hpp"
#include "analyzer/simulation/prediction/predict.hpp"

namespace waitdiag {

struct RescaleRequest {
  std::vector<SizedRun> runs{};
  RunSize target{};
  std::vector<int> grid{};      // of the target, as the user gave it; empty: to be found
  bool all_iterations = false;  // replay all of them, even if a few determine the rest
  bool where_recorded = false;  // no other machine or computation: the same as recorded
  bool machine_measured =
      false;  // a machine file is named, and no other computation: it may be the recorded one
};

// The scenario depends on the number of ranks (their mapping), and on the runs that may be used (the machine,
// if it is derived from them).
using ScenarioFor = std::function<Scenario(std::size_t ranks, std::span<const SizedRun> known)>;

struct RescaledPrediction {
  PredictionReport report{};  // all except what-ifs as the user gave them, critical path, waits and causes
  Scenario scenario{};
  std::shared_ptr<const Trace> run{};     // predicted; only its first iterations, if those determine the rest
  std::shared_ptr<const Trace> before{};  // in that case: with three periods fewer
};

// Throws TraceError as Rescaler and Predictor do.
RescaledPrediction predict_rescaled(const RescaleRequest& request, const ScenarioFor& scenario);

}  // namespace waitdiag

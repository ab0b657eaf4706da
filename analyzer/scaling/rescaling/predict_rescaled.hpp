// A prediction for another size: the trace of that size, replayed; the largest run held out to see how far
// off that is.
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
  std::vector<int> grid{};      // of the target, as the user gave it; empty: found
  bool all_iterations = false;  // replay all of them, even if a few tell the rest
  bool where_recorded = false;  // no other machine or computation: what was recorded is what comes true
  bool machine_measured =
      false;  // a machine file is named, and no other computation: it may be the recorded one
};

// What is to be tried depends on the number of ranks (their mapping), and on the runs that may be known (the
// machine, if that is found in them).
using ScenarioFor = std::function<Scenario(std::size_t ranks, std::span<const SizedRun> known)>;

struct RescaledPrediction {
  PredictionReport report{};  // all but what-ifs as the user gave them, critical path, waits and causes
  Scenario scenario{};
  std::shared_ptr<const Trace> run{};     // predicted; only its first iterations, if those tell the rest
  std::shared_ptr<const Trace> before{};  // then: with three periods less of them
};

// Throws TraceError as Rescaler and Predictor do.
RescaledPrediction predict_rescaled(const RescaleRequest& request, const ScenarioFor& scenario);

}  // namespace waitdiag

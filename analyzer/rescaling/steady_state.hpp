// A predicted run of many iterations from a replay of the first few.
//
// DVM's predictor simulates two iterations and multiplies their difference out. Here four runs of different
// length are replayed, so that three increments can be compared: only if they agree in every rank, pipelines
// filled, the rest is multiplied out; otherwise more iterations are replayed, in the end all.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>

#include "analyzer/prediction/predict.hpp"
#include "analyzer/report/rescaling.hpp"
#include "analyzer/rescaling/rescale.hpp"

namespace waitdiag {

struct SteadyRun {
  std::shared_ptr<const Trace> run{};      // predicted; of the iterations that were replayed
  std::shared_ptr<const Trace> program{};  // what was replayed
  Predicted predicted{};                   // of all iterations
  RescalingReport::Steady steady{};
};

SteadyRun predict_steady(Rescaler& rescaler, const Scenario& scenario, bool all_iterations);

}  // namespace waitdiag

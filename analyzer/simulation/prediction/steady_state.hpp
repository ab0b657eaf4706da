// A predicted run of many iterations from a replay of the first few.
//
// DVM's predictor simulates two iterations and extrapolates their difference. Here four runs of different
// length are replayed, so that the increments of three periods can be compared: the rest is extrapolated only
// if they agree on every rank, pipelines are filled, and the iterations that are left out computed as long as
// those. Otherwise more iterations are replayed and periods get longer, so that noise averages out.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "analyzer/simulation/prediction/predict.hpp"
#include "analyzer/simulation/prediction/prediction_report.hpp"

namespace waitdiag {

// Their increments have to agree, and are extrapolated.
inline constexpr std::uint32_t kMeasuredPeriods = 3;

// By location: the last call of each loop, in order.
using LoopCalls = std::vector<std::vector<std::uint32_t>>;

// A run that can be made with fewer iterations of a loop.
class IterationSource {
 public:
  IterationSource() = default;
  IterationSource(const IterationSource&) = delete;
  IterationSource& operator=(const IterationSource&) = delete;
  virtual ~IterationSource() = default;
  virtual std::uint32_t iterations() const = 0;  // 1: there is no loop
  // The run with only that many of the first iterations.
  virtual Trace shortened(std::uint32_t iterations) = 0;
  virtual LoopCalls last_calls(std::uint32_t iterations) const = 0;  // in that run
  // How much the computation of the later iterations differs from that of the first ones, in stretches of
  // `period` iterations: an upper bound, relative.
  virtual double difference(std::uint32_t iterations, std::uint32_t period) const = 0;
};

struct SteadyRun {
  std::shared_ptr<const Trace> run{},
      before{};           // predicted: of the iterations that were replayed, and of three periods fewer
  Predicted predicted{};  // of all iterations
  SteadyIterations facts{};
};

// Nothing if all iterations have to be replayed; `facts` says why.
std::optional<SteadyRun> predict_steady(IterationSource& source, const Scenario& scenario,
                                        SteadyIterations& facts);

// What the run time of all iterations consists of, longest first. `path` and `before` are those of a
// SteadyRun; without `before`, `path` is that of all iterations.
std::vector<PredictionReport::PathEntry> path_entries(const PredictedPath& path, const Trace* before,
                                                      const SteadyIterations& facts,
                                                      const Scenario& scenario);

}  // namespace waitdiag

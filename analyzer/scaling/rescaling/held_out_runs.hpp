// Recorded runs, predicted from others as if they were not known: how far off that is says how sure the prediction is.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "analyzer/results/prediction.hpp"
#include "analyzer/results/rescaling.hpp"
#include "analyzer/scaling/rescaling/predict_rescaled.hpp"
#include "analyzer/scaling/rescaling/scenarios.hpp"

namespace waitdiag {

RescalingReport::Source source_facts(const SizedRun& run);

// What matters of the predicted run.
struct TargetShape {
  std::set<std::pair<std::size_t, std::size_t>> beyond{};  // RescaleFacts::beyond
  bool ranks_alike = true;                                 // in what they compute
  CallsAs calls_as = CallsAs::Recorded;  // so are those of the held-out runs, if they can be
};
TargetShape shape_of(const RescaleFacts& facts, const PredictionReport& report);

class HeldOutRuns {
 public:
  HeldOutRuns(const RescaleRequest& request, Scenarios& scenarios, TargetShape target)
      : request_(request), scenarios_(scenarios), target_(std::move(target)) {}
  // held_out, held_out_before and held_out_between, or no_range.
  void add_to(RescalingReport& report);

 private:
  // Predicts `run` from `others`, on the machine of all runs: how well that is known is another question, which replays and
  // other machines answer.
  RescalingReport::HeldOut hold_out(const SizedRun& run, const std::vector<SizedRun>& others);
  bool grows_likewise(const RescaleFacts& facts) const;
  std::optional<RescalingReport::HeldOut> largest(std::string& why);
  void add_smaller_ones(RescalingReport& report);
  void add_between(RescalingReport& report);

  const RescaleRequest& request_;
  Scenarios& scenarios_;
  TargetShape target_;
  std::set<std::pair<std::size_t, std::size_t>> beyond_{};  // of the run held out last
  // Dimensions along which the prediction has more ranks than any run, and the largest held-out run has not.
  std::set<std::pair<std::size_t, std::size_t>> untried_{};
};

}  // namespace waitdiag

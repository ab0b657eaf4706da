// Further scenarios of a predicted run, for its page; and repairs of the recorded one by the names of causes.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "analyzer/results/prediction.hpp"
#include "analyzer/results/report.hpp"
#include "analyzer/simulation/prediction/predict.hpp"
#include "analyzer/simulation/recorded_machine/scenario_request.hpp"
#include "analyzer/stages.hpp"
#include "analyzer/summary/timed_repairs.hpp"

namespace waitdiag {

// What can be repaired in a run.
class NamedRepairs {
 public:
  NamedRepairs() = default;  // nothing
  NamedRepairs(const Trace& trace, Stages& stages);

  // Each cause once. Throw TraceError for a name that no cause has.
  std::vector<Repair> named(const std::vector<std::string>& names) const;
  std::vector<PredictionReport::Repairs::Cause> rows(const std::vector<std::string>& names) const;

 private:
  std::vector<TimedRepair> meant(const std::vector<std::string>& names) const;

  std::vector<TimedRepair> all_{};
};

struct WhatIfSource {
  const ScenarioRequest& request;
  const ComputationFactors& factors;  // of every what-if
  const RecordedMachine* recorded;    // if no other machine was named
  const NamedRepairs& repairs;
  std::size_t ranks;
};

// Adds the gain of each of the user's what-ifs by itself, and of further proposals, with their options. Causes in
// `diagnosis`, that of the predicted run, are proposed for balancing.
void add_what_ifs(const Predictor& predictor, const WhatIfSource& source, const Report& diagnosis,
                  PredictionReport& report);

}  // namespace waitdiag

// The machine that runs are replayed on, for any number of ranks.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>
#include <vector>

#include "analyzer/scaling/rescaling/rescale.hpp"
#include "analyzer/simulation/prediction/scenario.hpp"
#include "analyzer/simulation/recorded_machine/recorded_machines.hpp"
#include "analyzer/simulation/recorded_machine/scenario_request.hpp"

namespace waitdiag {

// The scenario depends on the number of ranks (their places), and on the runs that may be used, where the machine is
// found in them.
class Scenarios {
 public:
  explicit Scenarios(const ScenarioRequest& request) : request_(request) {}
  Scenario operator()(std::size_t ranks, std::span<const SizedRun> known) {
    if (!wants_recorded_machine(request_)) return make_scenario(request_, ranks, nullptr);
    std::vector<RunOfMachine> runs;
    for (const SizedRun& run : known) runs.push_back({run.source.trace, run.source.name});
    return make_scenario(request_, ranks, &machines_.of(runs));
  }
  // nullptr: another machine is named.
  const RecordedMachine* machine() const { return machines_.of_most(); }

 private:
  const ScenarioRequest& request_;
  RecordedMachines machines_{};
};

}  // namespace waitdiag

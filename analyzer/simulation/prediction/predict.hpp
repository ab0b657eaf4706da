// From a recorded run and a scenario to the predicted run: its figures, and the run as a trace.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "analyzer/diagnosis/detection/wait_states.hpp"
#include "analyzer/simulation/prediction/scenario.hpp"
#include "analyzer/simulation/replay/replay.hpp"

namespace waitdiag {

// How waits are found in a run on this machine: which sends need a receiver is known.
DetectOptions waits_on(const Machine& machine);

struct Predicted {
  Replayed run;
  Approximations approximations;
  std::size_t operations = 0;  // replayed
};

// The computation under a scenario: to be replayed on as many machines as wanted.
struct Prepared {
  Program program;
  std::vector<std::vector<Duration>> pieces;  // as in ScenarioTimes
};

// Reads a trace once for many predictions. Throws TraceError when the run cannot finish on the machine (with
// the cycle of who waits for whom), does not fit on it, or the scenario names something that does not exist.
class Predictor {
 public:
  explicit Predictor(const Trace& trace);  // which must outlive it
  Predictor(const Trace& trace, SyncPoints sync) : trace_(trace), sync_(std::move(sync)) {}  // its matches
  explicit Predictor(Trace&&) = delete;
  Predicted predict(const Scenario& scenario, bool keep_times) const {
    return predict(prepare(scenario), scenario, keep_times);
  }
  // The same in two steps: the second may be repeated for several scenarios with the same computation.
  Prepared prepare(const Scenario& scenario) const;
  Predicted predict(const Prepared& prepared, const Scenario& scenario, bool keep_times) const;
  // The predicted run as a trace: the recorded one with other times, on the nodes of the scenario's machine
  // (all on one where the machine has no level of that name). `predicted` was made with its times stored.
  Trace trace_of(const Predicted& predicted, const Scenario& scenario) const;

 private:
  Placement placement(const Scenario& scenario) const;
  std::vector<std::string> nodes(const Scenario& scenario) const;
  const Trace& trace_;
  SyncPoints sync_;
};

}  // namespace waitdiag

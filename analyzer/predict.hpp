// The prediction: how long a recorded run takes on another machine, with other computation, or with another number
// of ranks or another problem. A value that owns all that it is made of.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "analyzer/results/prediction.hpp"
#include "analyzer/simulation/logic_tree/logic_tree.hpp"
#include "analyzer/simulation/prediction/prediction_report.hpp"
#include "analyzer/simulation/prediction/sweep.hpp"
#include "analyzer/simulation/prediction/unit_scaling.hpp"
#include "analyzer/simulation/recorded_machine/scenario_request.hpp"
#include "analyzer/stages.hpp"
#include "analyzer/summary/make_report.hpp"

namespace waitdiag {

struct RecordedRun {
  std::string name{};
  Trace trace;
  std::map<std::string, double> problem{};  // as the user says; empty: as it was recorded
};

// A run of another size, from several.
struct AnotherSize {
  int ranks = 0;  // 0: as many as the largest run has
  std::map<std::string, double> problem{};
  std::vector<int> grid{};  // of these ranks; empty: to be found
};

// TH-PP's model of a node.
struct NodeRequest {
  struct File {
    std::string name{};
    UnitTimes times{};
  };
  std::optional<File> unit_times{};  // of another machine
  bool measure = false;              // unit times of this run
  bool unloaded = false, as_recorded = false;
};

struct PredictionOptions {
  ScenarioRequest scenario{};
  std::optional<AnotherSize> size{};
  NodeRequest nodes{};
  std::optional<SweepRequest> sweep{};
  bool all_iterations = false;  // replay all of them, even if a few determine the rest
  bool for_page = false;        // each what-if by itself, and all that is drawn of the predicted run
};

// Unit times of the recorded run, and what was corrected in them.
struct MeasuredUnitTimes {
  UnitTimes times{};
  Approximations notes{};
};

struct Prediction {
  PredictionReport report{};
  std::vector<RecordedRun> recorded{};
  std::shared_ptr<const Trace> run{};  // predicted; some iterations only, if those determine the rest
  std::unique_ptr<const PredictedPath> path{};        // through `run`
  std::optional<RecordedMachine> recorded_machine{};  // if it was needed
  std::optional<MeasuredUnitTimes> unit_times{};      // if asked for
  std::optional<DiagnosedRun> diagnosed{};            // `run`, if it is for a page

  // What the predicted run consists of, its critical path marked.
  LogicTree tree(Fold fold) const;
  // The recorded run beside which the predicted one is drawn.
  const Trace& drawn_beside() const;
};

// `runs`: one, or several for another size. Throws TraceError for what cannot be predicted.
Prediction predict(std::vector<RecordedRun> runs, const PredictionOptions& options, Stages& stages);

}  // namespace waitdiag

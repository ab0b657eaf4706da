// The page of `waitdiag predict`: measured beside predicted, what-ifs, sweeps, the application logic tree.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include "analyzer/results/report.hpp"
#include "analyzer/simulation/logic_tree/logic_tree.hpp"
#include "analyzer/simulation/prediction/prediction_report.hpp"
#include "tools/waitdiag/command_line/figure_page.hpp"
#include "tools/waitdiag/predict/repair_options.hpp"
#include "tools/waitdiag/predict/scenario_options.hpp"

namespace waitdiag::tool {

struct AskedFor {
  const ScenarioOptions& options;
  const ComputationFactors& factors;  // of every what-if
  const RecordedMachine* recorded;    // if no other machine was named
  const Repairs& repairs;
};

// Adds the gain of each of the user's what-ifs by itself, and of further proposals, with their options.
// Causes in `diagnosis`, that of the predicted run, are proposed for balancing.
void add_what_ifs(const Predictor& predictor, const AskedFor& asked, const Report& diagnosis,
                  std::size_t ranks, PredictionReport& report);

struct PredictionPage {
  const PredictionReport& report;
  const LogicTree& tree;
  const DrawnRun &measured, &predicted;
};
void write_prediction_page(const std::string& file, const PredictionPage& page);

}  // namespace waitdiag::tool

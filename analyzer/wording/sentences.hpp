// Results in one or two sentences: the first line of their texts.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "analyzer/results/balance.hpp"
#include "analyzer/results/grids.hpp"
#include "analyzer/results/prediction.hpp"
#include "analyzer/results/scaling.hpp"

namespace waitdiag {

// The predicted run time against the recorded one, and why.
std::string prediction_verdict(const PredictionReport& report);
// "20.5 ms (20.1 ms to 20.9 ms) with 64 ranks"
std::string rescaled_runtime(const RescalingReport& report, double runtime_s);
// What the reader has to know about the iterations that were not replayed; empty: nothing.
std::string steady_text(const SteadyIterations& steady);

std::string balance_verdict(const BalanceReport& report);  // on the first case; empty where there is none
std::string load_amount(double load, const std::string& unit);  // "3.4 s", "120 cells"

std::string scaling_verdict(const ScalingReport& report);  // what takes most time now, and what will

std::string grids_verdict(const GridReport& report);  // the best grid; empty where there is none
template <typename Number>
std::string grid_label(const std::vector<Number>& sides) {  // "4 x 2"
  std::string text;
  for (const Number side : sides) text += (text.empty() ? "" : " x ") + std::to_string(side);
  return text;
}

}  // namespace waitdiag

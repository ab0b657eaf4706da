// Results as JSON of the schemas in share/schema. Times are seconds, shares 0..1, an undefined figure is
// null.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <iosfwd>

#include "analyzer/results/balance.hpp"
#include "analyzer/results/check_result.hpp"
#include "analyzer/results/comparison.hpp"
#include "analyzer/results/grids.hpp"
#include "analyzer/results/prediction.hpp"
#include "analyzer/results/report.hpp"
#include "analyzer/results/scaling.hpp"

namespace waitdiag {

void write_json(const Report& report, std::ostream& out);
void write_prediction_json(const PredictionReport& report, std::ostream& out);
void write_balance_json(const BalanceReport& report, std::ostream& out);
void write_scaling_json(const ScalingReport& report, std::ostream& out);
void write_grids_json(const GridReport& report, std::ostream& out);
void write_comparison_json(const Comparison& comparison, std::ostream& out);
void write_check_json(const CheckResult& result, std::ostream& out);

}  // namespace waitdiag

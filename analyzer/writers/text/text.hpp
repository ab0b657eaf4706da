// Results for a person at a terminal: the verdict first, then what it is based on.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <iosfwd>
#include <string>

#include "analyzer/results/balance.hpp"
#include "analyzer/results/check_result.hpp"
#include "analyzer/results/comparison.hpp"
#include "analyzer/results/grids.hpp"
#include "analyzer/results/prediction.hpp"
#include "analyzer/results/report.hpp"
#include "analyzer/results/scaling.hpp"
#include "analyzer/writers/text/layout.hpp"

namespace waitdiag {

struct TextOptions {
  TextStyle style{};
  std::size_t top = 5;   // rows of a table
  std::string source{};  // the archive as the user named it, for the commands to type next
};

void write_text_report(const Report& report, const TextOptions& options, std::ostream& out);
void write_prediction_text(const PredictionReport& report, const TextOptions& options, std::ostream& out);
void write_rescaling_text(const RescalingReport& report, const TextStyle& style, std::size_t top,
                          std::ostream& out);
void write_recorded_machine_text(const RecordedMachineReport& report, const TextStyle& style,
                                 std::ostream& out);
void write_balance_text(const BalanceReport& report, const TextOptions& options, std::ostream& out);
void write_scaling_text(const ScalingReport& report, const TextOptions& options, std::ostream& out);
void write_grids_text(const GridReport& report, const TextStyle& style, std::ostream& out);
void write_comparison_text(const Comparison& comparison, const TextOptions& options, std::ostream& out);
void write_check_text(const CheckResult& result, const TextStyle& style, std::ostream& out);

// Lines "WAITDIAG name value unit" for scripts that search with a regular expression; the names never change.
void write_check_lines(const CheckResult& result, std::ostream& out);

}  // namespace waitdiag

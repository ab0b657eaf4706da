// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <ostream>

#include "analyzer/results/scaling.hpp"
#include "analyzer/wording/numbers.hpp"
#include "analyzer/wording/sentences.hpp"
#include "analyzer/writers/text/text.hpp"
#include "analyzer/writers/text/text_table.hpp"

namespace waitdiag {
namespace {

std::string error_cell(double error) {
  return std::isnan(error) ? "-" : fmt::format("{:.1f} %", 100 * error);
}

std::vector<std::string> cells_of(const ScalingReport::Row& row) {
  const double fit = row.model.r_squared;
  return {format_duration(row.mean_s.front()), format_duration(row.mean_s.back()),
          format_duration(row.predicted_s),    std::isnan(fit) ? "-" : fmt::format("{:.3f}", fit),
          error_cell(row.model.smape),         error_cell(row.model.left_out)};
}

}  // namespace

void write_scaling_text(const ScalingReport& report, const TextOptions& options, std::ostream& out) {
  const TextStyle& style = options.style;
  out << style.paint(Ink::Strong, wrap(report.verdict, style.width, 0)) << "\n\n";
  const auto of = [](std::uint64_t ranks) { return "p=" + std::to_string(ranks); };
  const TextTable table(style, out,
                        {{of(report.sizes.front()), 9},
                         {of(report.sizes.back()), 9},
                         {of(report.up_to), 9},
                         {"R^2", 7},
                         {"error", 8},
                         {"left out", 9}},
                        {"", 1});
  table.heading("Time of an average rank, and its model");
  table.row("  " + report.runtime.call_path, "", cells_of(report.runtime), "");
  table.note("the sum of the models below; alone " + report.runtime.model.text, 6);
  for (std::size_t i = 0; i < std::min(options.top, report.rows.size()); ++i) {
    table.row("  " + report.rows[i].call_path, "", cells_of(report.rows[i]), "");
    table.note(report.rows[i].model.text, 6);
  }
  out << '\n';
  if (report.rows.size() > options.top)
    out << fmt::format("{} more call paths: --top, --json, --csv\n", report.rows.size() - options.top);
  out << wrap(
             "p: ranks. error: symmetric mean absolute error of the runs the model is made of; left out: the "
             "same "
             "of each size, predicted from the others.",
             style.width, 0)
      << '\n';
  if (report.startup_s.back() > 0)
    out << wrap(fmt::format("Not in these times: {} until all of {} have left MPI_Init ({} with {}).",
                            format_duration(report.startup_s.back()), plural(report.sizes.back(), "rank"),
                            format_duration(report.startup_s.front()), report.sizes.front()),
                style.width, 0)
        << '\n';
  for (const std::string& caution : report.cautions)
    out << wrap("Caution: " + caution, style.width, 0) << '\n';
}

}  // namespace waitdiag

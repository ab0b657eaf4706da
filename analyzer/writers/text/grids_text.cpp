// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include <algorithm>
#include <ostream>

#include "analyzer/results/grids.hpp"
#include "analyzer/wording/numbers.hpp"
#include "analyzer/wording/sentences.hpp"
#include "analyzer/writers/text/text.hpp"
#include "analyzer/writers/text/text_table.hpp"

namespace waitdiag {
void write_grids_text(const GridReport& report, const TextStyle& style, std::ostream& out) {
  if (report.best.empty()) return;
  out << style.paint(Ink::Strong, wrap(report.verdict, style.width, 0)) << "\n\n";
  const TextTable table(style, out,
                        {{"ranks", 7},
                         {"predicted", 11},
                         {"efficiency", 12},
                         {"uniformity", 12},
                         {"grids", 8},
                         {"candidates", 12},
                         {"replayed", 10}},
                        {"", 1});
  table.heading("Grid");
  for (const GridReport::Best& best : report.best)
    table.row("  " + grid_label(best.grid), "",
              {std::to_string(best.ranks()), format_duration(best.predicted_s), format_share(best.efficiency),
               fmt::format("{:.3f}", best.uniformity), std::to_string(best.grids),
               std::to_string(best.candidates), std::to_string(best.evaluations)},
              "");
  std::string facts =
      fmt::format("\n{}: array {}, halo {}, {:.4g} ns an element, {}, {} on one rank; at most {}",
                  report.program, grid_label(report.array), grid_label(report.halo), report.element_ns,
                  plural(report.iterations, "iteration"), format_duration(report.serial_s),
                  plural(report.most_ranks, "rank"));
  if (report.least_efficiency > 0) facts += ", efficiency at least " + format_share(report.least_efficiency);
  out << facts << "; method " << report.method << ".\n";
  for (const std::string& note : report.notes)
    out << style.paint(Ink::Faint, wrap(note + ".", style.width, 0)) << '\n';
}

}  // namespace waitdiag

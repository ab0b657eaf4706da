// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include <algorithm>
#include <ostream>

#include "analyzer/report/grids.hpp"
#include "analyzer/report/numbers.hpp"
#include "analyzer/report/text_table.hpp"

namespace waitdiag {
namespace {

template <typename Number>
std::string sides(const std::vector<Number>& numbers) {
  std::string text;
  for (const Number number : numbers) text += (text.empty() ? "" : " x ") + std::to_string(number);
  return text;
}

std::uint64_t ranks_of(const GridReport::Best& best) {
  std::uint64_t ranks = 1;
  for (const std::uint32_t along : best.grid) ranks *= along;
  return ranks;
}

}  // namespace

std::string grids_verdict(const GridReport& report) {
  const auto quickest =
      std::min_element(report.best.begin(), report.best.end(),
                       [](const auto& a, const auto& b) { return a.predicted_s < b.predicted_s; });
  if (quickest == report.best.end()) return "";
  return fmt::format("Best on {}: {} = {}, predicted {} at {} efficiency.", report.machine,
                     sides(quickest->grid), plural(ranks_of(*quickest), "rank"),
                     format_duration(quickest->predicted_s), format_share(quickest->efficiency));
}

void write_grids_text(const GridReport& report, const TextStyle& style, std::ostream& out) {
  if (report.best.empty()) return;
  out << style.paint(Ink::Strong, wrap(grids_verdict(report), style.width, 0)) << "\n\n";
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
    table.row("  " + sides(best.grid), "",
              {std::to_string(ranks_of(best)), format_duration(best.predicted_s),
               format_share(best.efficiency), fmt::format("{:.3f}", best.uniformity),
               std::to_string(best.grids), std::to_string(best.candidates), std::to_string(best.evaluations)},
              "");
  std::string facts = fmt::format(
      "\n{}: array {}, halo {}, {:.4g} ns an element, {}, {} on one rank; at most {}", report.program,
      sides(report.array), sides(report.halo), report.element_ns, plural(report.iterations, "iteration"),
      format_duration(report.serial_s), plural(report.most_ranks, "rank"));
  if (report.least_efficiency > 0) facts += ", efficiency at least " + format_share(report.least_efficiency);
  out << facts << "; method " << report.method << ".\n";
  for (const std::string& note : report.notes)
    out << style.paint(Ink::Faint, wrap(note + ".", style.width, 0)) << '\n';
}

}  // namespace waitdiag

// A comparison as one HTML page: the verdict, the figures, and a bar for each change.
//
// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <ostream>

#include "analyzer/wording/comparison_cells.hpp"
#include "analyzer/wording/labels.hpp"
#include "analyzer/wording/numbers.hpp"
#include "analyzer/writers/html/html.hpp"
#include "analyzer/writers/html/html_text.hpp"

namespace waitdiag {
namespace {

constexpr double kBarWidth = 240, kBarHeight = 14;

// To the right what became more, to the left what became less; `largest` fills its half.
std::string bar(double by, double largest) {
  const double middle = kBarWidth / 2, length = largest > 0 ? middle * std::abs(by) / largest : 0;
  return fmt::format(
      "<svg style=\"width:{0}px;border:0\" viewBox=\"0 0 {0} {1}\" role=\"img\" aria-label=\"{2}\">"
      "<line class=\"level\" x1=\"{3}\" x2=\"{3}\" y1=\"0\" y2=\"{1}\"/>"
      "<rect class=\"{4}\" x=\"{5:.1f}\" y=\"2\" width=\"{6:.1f}\" height=\"{7}\"/></svg>",
      kBarWidth, kBarHeight, by > 0 ? "more" : "less", middle, by > 0 ? "more" : "less",
      by > 0 ? middle : middle - length, length, kBarHeight - 4);
}

void write_changes(const char* title, const std::vector<Comparison::Change>& changes, bool functions,
                   std::ostream& out) {
  if (changes.empty()) return;
  double largest = 0;
  for (const Comparison::Change& change : changes) largest = std::max(largest, std::abs(change.by()));
  out << fmt::format(
      "<h2>{}</h2>\n<table><tr><th></th><th class=\"n\">before</th><th class=\"n\">after</th>"
      "<th class=\"n\">change</th><th></th></tr>\n",
      title);
  for (const Comparison::Change& change : changes) {
    const std::string name = functions ? function_label(change.title) : change.title;
    out << fmt::format(
        "<tr><td title=\"{}\">{} <small>{}</small></td><td class=\"n\">{}</td><td class=\"n\">{}</td>"
        "<td class=\"n\">{}</td><td>{}</td></tr>\n",
        html_text(change.id), html_text(name), html_text(place_label(change.file, change.line)),
        html_text(time_cell(change.before_s, change.before_below)),
        html_text(time_cell(change.after_s, change.after_below)), by_cell(change), bar(change.by(), largest));
  }
  out << "</table>\n";
}

}  // namespace

void write_comparison_page(const Comparison& comparison, std::ostream& out) {
  begin_html("What changed: " + comparison.after.program, out);
  out << fmt::format("<h1>{}</h1>\n<table>\n", html_text(comparison.sentence));
  for (const auto& [name, side] : {std::pair("before", &comparison.before), {"after", &comparison.after}})
    out << fmt::format("<tr><th>{}</th><td>{}</td></tr>\n", name, html_text(side_label(*side, ", ")));
  out << "</table>\n";
  for (const std::string& caution : comparison.cautions)
    out << "<p class=\"v\">Caution: " << html_text(caution) << "</p>\n";
  out << "<h2>Figures</h2>\n<table><tr><th></th><th class=\"n\">before</th><th class=\"n\">after</th>"
         "<th class=\"n\">change</th><th>more than noise?</th></tr>\n";
  for (const Comparison::Figure& figure : comparison.figures)
    out << fmt::format(
        "<tr><td>{}</td><td class=\"n\">{}</td><td class=\"n\">{}</td><td "
        "class=\"n\">{}</td><td>{}</td></tr>\n",
        html_text(figure.title), format_figure(figure.before, figure.unit),
        format_figure(figure.after, figure.unit), html_text(change_cell(figure)),
        html_text(spread_cell(figure)));
  out << "</table>\n";
  write_changes("Where ranks wait", comparison.waits, false, out);
  write_changes("Who caused the waiting", comparison.causes, true, out);
  write_changes("Time in functions, all ranks, with waiting", comparison.functions, true, out);
  out << "</body></html>\n";
}

}  // namespace waitdiag

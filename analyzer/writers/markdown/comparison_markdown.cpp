// A comparison for the summary page of a continuous-integration job.
//
// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include <algorithm>
#include <ostream>

#include "analyzer/wording/comparison_cells.hpp"
#include "analyzer/wording/labels.hpp"
#include "analyzer/wording/numbers.hpp"
#include "analyzer/writers/markdown/markdown.hpp"

namespace waitdiag {
namespace {

void write_change_rows(const char* title, const std::vector<Comparison::Change>& changes, bool functions,
                       std::size_t top, std::ostream& out) {
  if (changes.empty()) return;
  out << fmt::format("\n| {} | before | after | change |\n|---|--:|--:|--:|\n", title);
  for (std::size_t i = 0; i < std::min(top, changes.size()); ++i) {
    const Comparison::Change& change = changes[i];
    const std::string place = place_label(change.file, change.line);
    std::string name = functions ? function_label(change.title) : change.title;
    if (!place.empty()) name += " " + place;
    out << fmt::format("| {} | {} | {} | {} |\n", markdown_text(name),
                       time_cell(change.before_s, change.before_below),
                       time_cell(change.after_s, change.after_below), by_cell(change));
  }
}

}  // namespace

void write_comparison_markdown(const Comparison& comparison, std::size_t top, std::ostream& out) {
  out << "**" << markdown_text(comparison.sentence) << "**\n\n";
  out << "* before: " << markdown_text(side_label(comparison.before, ", ")) << "\n";
  out << "* after: " << markdown_text(side_label(comparison.after, ", ")) << "\n";
  for (const std::string& caution : comparison.cautions)
    out << "* caution: " << markdown_text(caution) << "\n";
  out << "\n| figure | before | after | change |\n|---|--:|--:|--:|\n";
  for (const Comparison::Figure& figure : comparison.figures)
    out << fmt::format("| {} | {} | {} | {} |\n", figure.title, format_figure(figure.before, figure.unit),
                       format_figure(figure.after, figure.unit), change_cell(figure));
  write_change_rows("where ranks wait", comparison.waits, false, top, out);
  write_change_rows("who caused the waiting", comparison.causes, true, top, out);
  write_change_rows("time in functions, all ranks, with waiting", comparison.functions, true, top, out);
}

}  // namespace waitdiag

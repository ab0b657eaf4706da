// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <ostream>

#include "analyzer/wording/comparison_cells.hpp"
#include "analyzer/wording/labels.hpp"
#include "analyzer/wording/numbers.hpp"
#include "analyzer/writers/text/text.hpp"
#include "analyzer/writers/text/text_table.hpp"

namespace waitdiag {
namespace {

Ink ink_of(Comparison::Outcome outcome) {
  switch (outcome) {
    case Comparison::Outcome::Faster:
      return Ink::Good;
    case Comparison::Outcome::Slower:
      return Ink::Bad;
    case Comparison::Outcome::Unsure:
      return Ink::Fair;
    case Comparison::Outcome::Same:
      break;
  }
  return Ink::Strong;
}

void write_compared_figures(const Comparison& comparison, const TextStyle& style, std::ostream& out) {
  const bool spread = std::any_of(comparison.figures.begin(), comparison.figures.end(),
                                  [](const Comparison::Figure& figure) { return figure.spread.has_value(); });
  std::vector<TextColumn> columns = {{"before", 10}, {"after", 10}, {"change", 11}};
  if (spread) columns.push_back({"shift, 95 % interval", 34});
  const TextTable table(style, out, columns, {"", 1});
  table.heading(spread ? "Figures, medians of the runs" : "Figures");
  for (const Comparison::Figure& figure : comparison.figures)
    table.row("  " + figure.title, "",
              {format_figure(figure.before, figure.unit), format_figure(figure.after, figure.unit),
               change_cell(figure), spread_cell(figure)},
              "");
}

void write_changes(const char* title, const std::vector<Comparison::Change>& changes, bool functions,
                   const Comparison& comparison, const TextOptions& options, std::ostream& out) {
  if (changes.empty()) return;
  constexpr std::size_t kRanksWidth = 10;
  const TextTable table(options.style, out, {{"before", 10}, {"after", 10}, {"change", 11}},
                        {functions ? "ranks" : "", kRanksWidth});
  out << '\n';
  table.heading(title);
  const std::uint64_t ranks = std::max(comparison.before.ranks, comparison.after.ranks);
  const std::size_t shown = std::min(options.top, changes.size());
  for (std::size_t i = 0; i < shown; ++i) {
    const Comparison::Change& change = changes[i];
    table.row("  " + (functions ? function_label(change.title) : change.title),
              place_label(change.file, change.line),
              {time_cell(change.before_s, change.before_below), time_cell(change.after_s, change.after_below),
               by_cell(change)},
              change.ranks.empty() ? "" : ranks_cell(change.ranks, ranks, kRanksWidth));
  }
  if (shown < changes.size())
    table.note("and " + std::to_string(changes.size() - shown) + " with smaller changes (--top)", 2);
}

}  // namespace

void write_comparison_text(const Comparison& comparison, const TextOptions& options, std::ostream& out) {
  const TextStyle& style = options.style;
  out << style.paint(ink_of(comparison.outcome), wrap(comparison.sentence, style.width, 0)) << "\n\n"
      << "before  " << side_label(comparison.before, style.dot()) << '\n'
      << "after   " << side_label(comparison.after, style.dot()) << '\n';
  for (const std::string& caution : comparison.cautions)
    out << style.paint(Ink::Fair, wrap("Caution: " + caution + ".", style.width, 0)) << '\n';
  out << '\n';
  write_compared_figures(comparison, style, out);
  write_changes("Where ranks wait", comparison.waits, false, comparison, options, out);
  write_changes("Who caused the waiting", comparison.causes, true, comparison, options, out);
  write_changes("Time in functions, all ranks, with waiting", comparison.functions, true, comparison, options,
                out);
}

}  // namespace waitdiag

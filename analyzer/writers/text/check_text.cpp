// The check for a terminal, and the lines for scripts.
//
// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <ostream>

#include "analyzer/wording/comparison_cells.hpp"
#include "analyzer/wording/numbers.hpp"
#include "analyzer/writers/text/text.hpp"
#include "analyzer/writers/text/text_table.hpp"

namespace waitdiag {
namespace {

constexpr std::size_t kMostRows = 10;

Ink ink_of_verdict(CheckResult::Verdict verdict) {
  switch (verdict) {
    case CheckResult::Verdict::Improved:
    case CheckResult::Verdict::Pass:
      return Ink::Good;
    case CheckResult::Verdict::Inconclusive:
      return Ink::Fair;
    case CheckResult::Verdict::Changed:
    case CheckResult::Verdict::Regression:
    case CheckResult::Verdict::Failed:
      break;
  }
  return Ink::Bad;
}

void write_metric_rows(const CheckResult& result, const TextStyle& style, std::ostream& out) {
  if (result.metrics.empty()) return;
  const TextTable table(style, out, {{"before", 10}, {"tonight", 10}, {"change", 11}}, {"", 13});
  out << '\n';
  table.note(fmt::format("{} tonight, {} of {} before", plural(result.runs, "run"),
                         plural(result.reference_runs, "run"), plural(result.reference_nights, "night")),
             0);
  table.heading("Figures, medians");
  for (const CheckResult::Metric& one : result.metrics) {
    const Comparison::Figure figure{one.id, one.title, one.unit, one.before, one.after};
    table.row("  " + one.title, "",
              {std::isfinite(one.before) ? format_figure(one.before, one.unit) : "",
               format_figure(one.after, one.unit), change_cell(figure)},
              one.accepted ? "accepted" : word_of(one.verdict));
  }
}

void write_structure_rows(const CheckResult& result, const TextStyle& style, std::ostream& out) {
  if (result.structure.empty()) return;
  const TextTable table(style, out, {{"before", 12}, {"tonight", 12}}, {"", 1});
  out << '\n';
  table.heading("What the program asks of MPI");
  const std::size_t shown = std::min(kMostRows, result.structure.size());
  for (std::size_t i = 0; i < shown; ++i)
    table.row(
        "  " + result.structure[i].id, "",
        {fmt::format("{:.0f}", result.structure[i].before), fmt::format("{:.0f}", result.structure[i].after)},
        "");
  if (shown < result.structure.size())
    table.note(fmt::format("and {} more", result.structure.size() - shown), 2);
}

const char* unit_word(Comparison::Unit unit) {
  switch (unit) {
    case Comparison::Unit::Seconds:
      return "s";
    case Comparison::Unit::Share:
      return "ratio";
    case Comparison::Unit::Count:
      return "count";
    case Comparison::Unit::Bytes:
      return "B";
  }
  return "";
}

}  // namespace

void write_check_text(const CheckResult& result, const TextStyle& style, std::ostream& out) {
  const std::string headline =
      fmt::format("{} {}: {}", word_of(result.verdict), result.case_name, result.sentence);
  out << style.paint(ink_of_verdict(result.verdict), wrap(headline, style.width, 0)) << '\n';
  write_metric_rows(result, style, out);
  write_structure_rows(result, style, out);
  for (const CheckResult::Metric& one : result.metrics)
    if (one.verdict == CheckResult::Verdict::Inconclusive && result.reference_runs > 0 &&
        !result.sentence.starts_with(one.sentence))
      out << wrap("Not sure: " + one.sentence + ".", style.width, 0) << '\n';
  for (const std::string& note : result.notes) out << wrap("Note: " + note + ".", style.width, 0) << '\n';
  if (!result.not_compared.empty())
    out << wrap(fmt::format("Not compared: {} that are allowed to change or differ from run to run.",
                            plural(result.not_compared.size(), "count")),
                style.width, 0)
        << '\n';
  out << '\n';
}

void write_check_lines(const CheckResult& result, std::ostream& out) {
  out << fmt::format("WAITDIAG verdict {} text\n", word_of(result.verdict));
  for (const CheckResult::Metric& one : result.metrics)
    if (std::isfinite(one.after))
      out << fmt::format("WAITDIAG {} {:.6g} {}\n", one.id, one.after, unit_word(one.unit));
  out << fmt::format("WAITDIAG structure_changes {} count\n", result.structure.size());
}

}  // namespace waitdiag

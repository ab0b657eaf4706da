// A check for the summary page of a CI job.
//
// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include <cmath>
#include <ostream>

#include "analyzer/wording/comparison_cells.hpp"
#include "analyzer/wording/numbers.hpp"
#include "analyzer/writers/markdown/markdown.hpp"

namespace waitdiag {
namespace {

constexpr std::size_t kMostMarkdown = 60000;  // bytes; GitHub limits comments to 64 KiB
constexpr std::size_t kForTheRest = 2000;     // reserved for what follows a long table

// Writes lines as long as there is room; counts the others.
class LimitedPage {
 public:
  void add(const std::string& line) { text_ += line + "\n"; }
  void add_row(const std::string& line) {
    if (text_.size() + line.size() + kForTheRest > kMostMarkdown) {
      ++left_out_;
    } else {
      add(line);
    }
  }
  void end_table() {
    if (left_out_ > 0) add(fmt::format("\n... and {} more.", left_out_));
    left_out_ = 0;
  }
  const std::string& text() const { return text_; }

 private:
  std::string text_{};
  std::size_t left_out_ = 0;
};

std::string shortened(const std::string& text) {
  constexpr std::size_t kMost = 4000;
  return text.size() <= kMost ? text : text.substr(0, kMost) + " ...";
}

void add_metric_rows(const CheckResult& result, LimitedPage& page) {
  if (result.metrics.empty()) return;
  page.add("\n| figure | before | tonight | change | p | verdict |\n|---|--:|--:|--:|--:|---|");
  for (const CheckResult::Metric& one : result.metrics) {
    const Comparison::Figure figure{one.id, one.title, one.unit, one.before, one.after};
    page.add_row(fmt::format("| {} | {} | {} | {} | {} | {} |", one.title,
                             std::isfinite(one.before) ? format_figure(one.before, one.unit) : "",
                             format_figure(one.after, one.unit), change_cell(figure),
                             one.spread ? fmt::format("{:.2g}", one.spread->p) : "",
                             one.accepted ? "accepted" : word_of(one.verdict)));
  }
  page.end_table();
}

}  // namespace

void write_check_markdown(const CheckResult& result, std::ostream& out) {
  LimitedPage page;
  page.add(fmt::format("**{} {}**: {}", word_of(result.verdict), markdown_text(result.case_name),
                       markdown_text(shortened(result.sentence))));
  page.add(fmt::format("\n{} tonight, {} of {} before.", plural(result.runs, "run"),
                       plural(result.reference_runs, "run"), plural(result.reference_nights, "night")));
  add_metric_rows(result, page);
  for (const CheckResult::Metric& one : result.metrics)
    for (const CheckResult::Metric::Change& change : one.changes)
      page.add_row(fmt::format("\n* {} changed on {}{}: {} -> {}", one.title, markdown_text(change.time),
                               change.commit.empty() ? "" : " (" + markdown_text(change.commit) + ")",
                               format_figure(change.before, one.unit),
                               format_figure(change.after, one.unit)));
  page.end_table();
  if (!result.structure.empty()) {
    page.add("\n| what the program asks of MPI | before | tonight |\n|---|--:|--:|");
    for (const CheckResult::Structure& one : result.structure)
      page.add_row(fmt::format("| {} | {:.0f} | {:.0f} |", markdown_text(one.id), one.before, one.after));
    page.end_table();
  }
  if (!result.notes.empty()) page.add("");
  for (const std::string& note : result.notes) page.add_row("* " + markdown_text(shortened(note)));
  page.end_table();
  out << page.text();
}

}  // namespace waitdiag

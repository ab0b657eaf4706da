// SPDX-License-Identifier: BSD-3-Clause
#include "tools/waitdiag/compare/comparison_page.hpp"

#include <optional>
#include <utility>

#include "analyzer/diagnose.hpp"
#include "analyzer/results/rank_groups.hpp"
#include "analyzer/results/whole_run.hpp"
#include "analyzer/writers/json/json.hpp"
#include "analyzer/writers/text/text.hpp"
#include "tools/waitdiag/input/open_trace.hpp"
#include "tools/waitdiag/input/read_report.hpp"
#include "tools/waitdiag/output/figure_page.hpp"

namespace waitdiag::tool {
namespace {

// As report_of_run() has it, and its timeline.
DrawnRun drawn_run(const std::string& source, bool quiet) {
  Progress progress(quiet);
  const DiagnosisOptions options{.replays = Replays::Never};
  const Trace recorded = open_trace({.path = source}, progress);
  const std::optional<Trace> joined = as_diagnosed(recorded, options);
  DrawnRun drawn = draw_run(joined ? *joined : recorded, options, progress);
  Report& report = drawn.report;  // as one that nobody asked for messages of
  report.message_sizes.clear();
  report.message_pairs.clear();
  report.communicators.clear();
  report = of_whole_run(std::move(report));
  return drawn;
}

}  // namespace

ComparedSide read_side(const std::vector<std::string>& sources, bool with_timeline, bool quiet) {
  ComparedSide side;
  for (const std::string& source : sources) {
    if (!with_timeline || !side.drawn.empty() || is_kept_report(source)) {
      side.runs.push_back({source, report_of_run(source, quiet)});
      continue;
    }
    DrawnRun drawn = drawn_run(source, quiet);
    side.runs.push_back({source, std::move(drawn.report)});
    side.drawn = std::move(drawn.data);
  }
  return side;
}

void write_comparison_page(const std::string& file, const Comparison& comparison, const ComparedSide& before,
                           const ComparedSide& after) {
  if (file.empty()) return;
  FigurePage page{
      .kind = "comparison",
      .title = (comparison.after.program.empty() ? "Run" : comparison.after.program) + ": what changed",
      .parts = {{"comparison",
                 text_of([&](std::ostream& out) { write_json(with_ranks_grouped(comparison), out); })}},
      .text = [&](std::ostream& out) { write_comparison_text(comparison, {.style = {.utf8 = true}}, out); }};
  if (!before.drawn.empty() && !after.drawn.empty()) {
    page.parts.emplace_back("before", before.drawn);
    page.parts.emplace_back("after", after.drawn);
  }
  write_figure_page(file, page);
}

}  // namespace waitdiag::tool

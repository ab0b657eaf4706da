// SPDX-License-Identifier: BSD-3-Clause
#include "tools/waitdiag/export/export_output.hpp"

#include <fmt/format.h>

#include <iostream>

#include "analyzer/formats/notation/notation.hpp"
#include "analyzer/results/rank_groups.hpp"
#include "analyzer/summary/make_report.hpp"
#include "analyzer/trace/builder/excerpts.hpp"
#include "analyzer/writers/csv/csv.hpp"
#include "analyzer/writers/exports/exports.hpp"
#include "analyzer/writers/json/json.hpp"
#include "tools/waitdiag/command_line/errors.hpp"
#include "tools/waitdiag/command_line/progress.hpp"
#include "tools/waitdiag/input/open_trace.hpp"
#include "tools/waitdiag/output/output_file.hpp"
#include "tools/waitdiag/output/page_output.hpp"

namespace waitdiag::tool {
namespace {

// What timelines show: the selection of the user or, without one and if all of it is too much, the stretch
// with most waiting.
PageSelection timeline_selection(const ExportOptions& options, const PageSelection& whole, const Trace& trace,
                                 const WaitStates& states) {
  if (!options.window.empty() || whole.operations <= options.most_calls) return whole;
  PageSelection worst = worst_windows(trace, states, whole, options.most_calls).front();
  if (!options.quiet)
    std::cerr << fmt::format(
        "waitdiag: timelines show {:.6g} s to {:.6g} s of the run, the stretch with most waiting: {} of {} "
        "MPI calls; "
        "--window FROM:TO chooses another one, --window 0: all\n",
        seconds(worst.begin - trace.begin()), seconds(worst.end - trace.begin()), worst.operations,
        whole.operations);
  return worst;
}

void write_timelines(const ExportOptions& options, const ExportView& view, const std::string& name) {
  if (!options.perfetto.empty())
    write_output_file(options.perfetto, [&](std::ostream& out) { write_perfetto(view, out); });
  if (!options.speedscope.empty())
    write_output_file(options.speedscope, [&](std::ostream& out) { write_speedscope(view, name, out); });
  if (!options.paraver.empty()) write_paraver(view, options.paraver);
}

void write_views(const ExportOptions& options, const PageLimits& limits, const Trace& trace,
                 const Diagnosis& diagnosis, const Report& report) {
  const PageSelection selection = select_for_page(trace, limits);
  const ExportView view{trace, diagnosis, selection};
  const std::string name = report.run.program.empty() ? options.source.path : report.run.program;
  if (!options.perfetto.empty() || !options.speedscope.empty() || !options.paraver.empty()) {
    const PageSelection shown = timeline_selection(options, selection, trace, diagnosis.states);
    write_timelines(options, {trace, diagnosis, shown}, name);
  }
  if (!options.cube.empty())
    write_output_file(options.cube, [&](std::ostream& out) { write_cube(view, name, out); });
  if (!options.folded.empty())
    write_output_file(options.folded, [&](std::ostream& out) { write_folded(view, out); });
  if (!options.csv.empty()) write_event_tables(view, options.csv);
}

}  // namespace

void write_exports(const ExportOptions& options) {
  const bool views = !options.perfetto.empty() || !options.speedscope.empty() || !options.cube.empty() ||
                     !options.paraver.empty() || !options.folded.empty() || !options.csv.empty();
  const PageLimits limits = selection_limits(options.window, options.ranks);
  if (!views && !options.text && options.json.empty())
    throw UsageError(
        "say in which format: --perfetto, --speedscope, --cube, --paraver, --folded, --csv, --json or "
        "--notation");
  if (!views && (!options.window.empty() || !options.ranks.empty()))
    throw UsageError(
        "--json and --notation hold the whole run: --window and --only-ranks choose for the other formats");
  takes_stdout({{"--notation", options.text ? "-" : ""},
                {"--perfetto", options.perfetto},
                {"--speedscope", options.speedscope},
                {"--cube", options.cube},
                {"--folded", options.folded},
                {"--json", options.json}});
  Progress progress(options.quiet || options.text);
  const Trace recorded = open_trace(options.source, progress);
  if (const std::string note = excerpts_note(recorded); !note.empty() && !options.quiet)
    std::cerr << "waitdiag: " << note << '\n';
  if (options.text) write_text(recorded, std::cout);
  if (!views && options.json.empty()) return;
  Stages stages = progress.stages();
  const DiagnosisOptions of_views{.messages = true, .culprits = views};
  const std::optional<Trace> joined = as_diagnosed(recorded, of_views);
  const Trace& trace = joined ? *joined : recorded;
  const Diagnosis diagnosis = diagnose(trace, of_views, stages);
  const Report report = summarise(trace, diagnosis);
  progress.show("exporting", 0);
  if (views) write_views(options, limits, trace, diagnosis, report);
  if (!options.csv.empty()) write_csv(report, options.csv);
  if (!options.json.empty())
    write_output_file(options.json,
                      [&report](std::ostream& out) { write_json(with_ranks_grouped(report), out); });
}

}  // namespace waitdiag::tool

// waitdiag report: reads a trace, diagnoses it, prints the report as text, JSON, CSV or HTML.
//
// SPDX-License-Identifier: BSD-3-Clause
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <iostream>
#include <memory>

#include "analyzer/results/rank_groups.hpp"
#include "analyzer/trace/parallel/parallel.hpp"
#include "analyzer/writers/csv/csv.hpp"
#include "analyzer/writers/json/json.hpp"
#include "tools/waitdiag/command_line/choice.hpp"
#include "tools/waitdiag/command_line/command.hpp"
#include "tools/waitdiag/command_line/common_options.hpp"
#include "tools/waitdiag/command_line/diagnosis_options.hpp"
#include "tools/waitdiag/command_line/errors.hpp"
#include "tools/waitdiag/input/open_trace.hpp"
#include "tools/waitdiag/output/output_file.hpp"
#include "tools/waitdiag/output/page_output.hpp"
#include "tools/waitdiag/output/text_output.hpp"
#include "tools/waitdiag/report/compare_models.hpp"

namespace waitdiag::tool {
namespace {

struct ReportCommand {
  TraceSource source;
  DiagnosisOptions diagnosis;
  std::string json, csv;
  bool compare_models = false;
  unsigned threads = 0;
  PageOutput page;
  TextOutput text;
};

int print_report(const ReportCommand& command) {
  page_limits(command.page);
  const bool stdout_taken = takes_stdout({{"--json", command.json}, {"--html", command.page.file}});
  if (command.compare_models) {
    if (command.diagnosis.rules == Rules::Scalasca)
      throw UsageError("--compare-models goes by our rules: leave --rules scalasca out");
    compare_models(command.source, command.diagnosis, command.text, std::cout);
    return kSuccess;
  }
  const ThreadLimit limit(command.threads);
  const Report report = report_with_page(command.source, command.source.path, command.diagnosis,
                                         command.text.quiet, command.page);
  if (!command.csv.empty()) write_csv(report, command.csv);
  if (!command.json.empty())
    write_output_file(command.json,
                      [&report](std::ostream& out) { write_json(with_ranks_grouped(report), out); });
  if (!stdout_taken && !command.text.quiet)
    print_text(report, command.text, command.source.path, STDOUT_FILENO);
  return kSuccess;
}

}  // namespace

void add_report_command(CLI::App& app, Action& action) {
  const auto options = std::make_shared<ReportCommand>();
  CLI::App* command = app.add_subcommand("report", "Say who made whom wait in a recorded run");
  command->footer("Example: waitdiag report waitprof-solver-64p-20261120-1432 --top 10");
  add_trace_source(*command, options->source);
  add_json_option(*command, options->json, "the report", "report");
  add_csv_option(*command, options->csv, "the report's tables");
  add_html_option(*command, options->page.file, "the report");
  add_selection_options(*command, options->page.window, options->page.ranks, "The page shows call by call");
  command
      ->add_option(
          "--most-calls", options->page.most_calls,
          "MPI calls that the page shows one by one, at most; of more it shows an overview of averages and "
          "the stretches with most waiting [4000000]")
      ->type_name("N");
  command->add_flag("--no-source", options->page.no_source,
                    "The page does not show the blamed lines of the program");
  command
      ->add_option("--editor-link", options->page.editor_link,
                   "Where the link beside these lines leads, for an editor: {file} and {line} are filled in "
                   "[vscode://file{file}:{line}]")
      ->type_name("URL");
  add_choice<CurvePoints>(*command, "--what-ifs", options->page.what_ifs,
                          {{"none", CurvePoints::None},
                           {"few", CurvePoints::Few},
                           {"small", CurvePoints::Small},
                           {"all", CurvePoints::All}},
                          "What the page's sliders are computed from: few points, or all [small: all of a "
                          "small run, else few]");
  command
      ->add_option("--threads", options->threads,
                   "Number of threads to analyse with; 0: one per core. The result does not depend on it [0]")
      ->type_name("N");
  CLI::Option* const compares =
      command
          ->add_flag("--compare-models", options->compare_models,
                     "Print only what both models cost and whom they blame, side by side")
          ->group(kPublications);
  add_diagnosis_options(*command, options->diagnosis);
  add_clock_correction(*command, options->source.correct_clocks);
  add_text_options(*command, options->text);
  for (const char* const other : {"--json", "--csv", "--html", "--quiet", "--model"})
    compares->excludes(command->get_option(other));
  command->callback([options, &action] { action = [options] { return print_report(*options); }; });
}

}  // namespace waitdiag::tool

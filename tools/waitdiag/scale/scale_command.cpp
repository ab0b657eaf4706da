// waitdiag scale: runs of several sizes, and what their times will be with more ranks.
//
// SPDX-License-Identifier: BSD-3-Clause
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <iostream>
#include <memory>

#include "analyzer/scaling/laws/efficiencies.hpp"
#include "analyzer/scaling/laws/scale.hpp"
#include "analyzer/summary/make_report.hpp"
#include "analyzer/writers/csv/csv.hpp"
#include "analyzer/writers/json/json.hpp"
#include "analyzer/writers/text/text.hpp"
#include "tools/waitdiag/command_line/command.hpp"
#include "tools/waitdiag/command_line/common_options.hpp"
#include "tools/waitdiag/command_line/progress.hpp"
#include "tools/waitdiag/command_line/terminal.hpp"
#include "tools/waitdiag/input/open_trace.hpp"
#include "tools/waitdiag/output/figure_page.hpp"
#include "tools/waitdiag/output/output_file.hpp"
#include "tools/waitdiag/output/text_output.hpp"

namespace waitdiag::tool {
namespace {

struct ScaleCommand {
  std::vector<std::string> runs;
  ScaleOptions options;
  std::string json, csv, html;
  TextOutput text;
};

int scale(const ScaleCommand& command) {
  need_pages(command.html);
  const bool stdout_taken =
      takes_stdout({{"--json", command.json}, {"--csv-file", command.csv}, {"--html", command.html}});
  Progress progress(command.text.quiet);
  std::vector<RunProfile> profiles;
  std::vector<Report> reports;
  for (const std::string& run : command.runs) {
    const Trace trace = open_trace({.path = run}, progress);
    profiles.push_back(profile_run(trace, run));
    Stages stages = progress.stages();
    reports.push_back(make_report(trace, {.replays = Replays::Never}, stages));
  }
  progress.erase();
  ScalingReport report = scale_runs(profiles, command.options);
  add_efficiencies(reports, report);
  if (!command.json.empty())
    write_output_file(command.json, [&](std::ostream& out) { write_json(report, out); });
  if (!command.csv.empty())
    write_output_file(command.csv, [&](std::ostream& out) { write_scaling_csv(report, out); });
  const auto text = [&](const TextStyle& style, std::ostream& out) {
    write_scaling_text(report, {.style = style, .top = command.text.top}, out);
  };
  write_figure_page(command.html,
                    {.kind = "scaling",
                     .title = (report.program.empty() ? "Run" : report.program) + ": how its times grow",
                     .parts = {{"scaling", text_of([&](std::ostream& out) { write_json(report, out); })}},
                     .text = [&](std::ostream& out) { text({.utf8 = true}, out); }});
  if (!stdout_taken && !command.text.quiet) text(text_style(STDOUT_FILENO, command.text.color), std::cout);
  return kSuccess;
}

}  // namespace

void add_scale_command(CLI::App& app, Action& action) {
  const auto options = std::make_shared<ScaleCommand>();
  CLI::App* command = app.add_subcommand("scale", "Say how the times of several runs grow with their ranks");
  command->footer(
      "Example: waitdiag scale waitprof-solver-4p waitprof-solver-8p waitprof-solver-16p --max-ranks 1024");
  command->add_option("RUN", options->runs, "Archives of one program with different numbers of ranks")
      ->required()
      ->type_name("");
  command
      ->add_option("--max-ranks", options->options.up_to,
                   "Largest number of ranks to model [32 times that of the largest run]")
      ->type_name("N");
  add_json_option(*command, options->json, "the models", "scaling");
  add_csv_file_option(*command, options->csv, "them");
  add_html_option(*command, options->html, "measured times and models");
  add_text_options(*command, options->text);
  command->callback([options, &action] { action = [options] { return scale(*options); }; });
}

}  // namespace waitdiag::tool

// waitdiag grid: the process grid on which a program would be fastest.
//
// SPDX-License-Identifier: BSD-3-Clause
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <iostream>
#include <memory>

#include "analyzer/scaling/grid/best_grids.hpp"
#include "analyzer/scaling/grid/process_grid.hpp"
#include "analyzer/simulation/machine/text_file.hpp"
#include "analyzer/trace/model/trace_error.hpp"
#include "analyzer/trace/sync/parts_of_call.hpp"
#include "analyzer/writers/json/json.hpp"
#include "analyzer/writers/text/text.hpp"
#include "tools/waitdiag/command_line/command.hpp"
#include "tools/waitdiag/command_line/common_options.hpp"
#include "tools/waitdiag/command_line/errors.hpp"
#include "tools/waitdiag/command_line/progress.hpp"
#include "tools/waitdiag/command_line/terminal.hpp"
#include "tools/waitdiag/grid/grid_options.hpp"
#include "tools/waitdiag/input/named_machine.hpp"
#include "tools/waitdiag/input/open_trace.hpp"
#include "tools/waitdiag/output/figure_page.hpp"
#include "tools/waitdiag/output/output_file.hpp"

namespace waitdiag::tool {
namespace {

struct GridCommand {
  std::string source, program, machine;
  ArrayFacts array;
  GridOptions search;
  std::string json, html;
  ColorChoice color = ColorChoice::Auto;
  bool quiet = false;
};

std::optional<Machine> machine_for(const GridCommand& command) {
  if (command.source.empty() == command.program.empty())
    throw UsageError("name either a recorded run or a program file (--program FILE)");
  std::optional<Machine> machine = machine_of(command.machine);
  if (command.source.empty() && !machine)
    throw UsageError(
        "say what machine a described program is to be predicted for: --machine NAME or FILE, as for "
        "`waitdiag predict`");
  if (command.search.most_ranks == 0) throw UsageError("say how many ranks there may be: --max-ranks N");
  if (command.array.size.size() > kMostGridDimensions)
    throw UsageError("--array has 1 to 3 sizes, such as 10000x10000");
  return machine;
}

GridCase case_of(const GridCommand& command, Progress& progress, Stages& stages) {
  const std::optional<Machine> machine = machine_for(command);
  if (command.program.empty())
    return recorded_grid_case(with_whole_calls(open_trace({.path = command.source}, progress)),
                              command.source, command.array, machine, stages);
  const auto text = read_text_file(command.program);
  if (!text) throw TraceError("cannot read " + command.program + ": check that it exists and is readable");
  return {parse_grid_program(*text, command.program), *machine};
}

int grid(const GridCommand& command) {
  need_pages(command.html);
  const bool stdout_taken = takes_stdout({{"--json", command.json}, {"--html", command.html}});
  Progress progress(command.quiet);
  Stages stages = progress.stages();
  GridOptions options = command.search;
  options.survey = !command.html.empty();
  const GridReport report = best_grids(case_of(command, progress, stages), options, stages);
  progress.erase();
  if (!command.json.empty())
    write_output_file(command.json, [&](std::ostream& out) { write_json(report, out); });
  write_figure_page(command.html,
                    {.kind = "grids",
                     .title = report.program + " on " + report.machine + ": process grids",
                     .parts = {{"grids", text_of([&](std::ostream& out) { write_json(report, out); })}},
                     .text = [&](std::ostream& out) { write_grids_text(report, {.utf8 = true}, out); }});
  if (!stdout_taken && !command.quiet)
    write_grids_text(report, text_style(STDOUT_FILENO, command.color), std::cout);
  return kSuccess;
}

}  // namespace

void add_grid_command(CLI::App& app, Action& action) {
  const auto options = std::make_shared<GridCommand>();
  CLI::App* command = app.add_subcommand("grid", "Find the process grid on which a program would be fastest");
  command->footer(
      "Example: waitdiag grid --program jac.toml --machine mvs-15k --max-ranks 256 --min-efficiency 0.6");
  command->add_option("DIR", options->source, "A recorded run that exchanges halos on a grid")->type_name("");
  command->add_option("--program", options->program, "Or a file that describes the program")
      ->type_name("FILE");
  command
      ->add_option(
          "--machine", options->machine,
          "The machine to predict for, as for `waitdiag predict` [of a recorded run: the recorded one]")
      ->type_name("MACHINE|FILE");
  add_search_options(*command, options->search);
  add_array_options(*command, options->array);
  add_json_option(*command, options->json, "the result", "grids");
  add_html_option(*command, options->html, "the predicted times of many grids");
  add_color_option(*command, options->color);
  add_quiet_option(*command, options->quiet);
  command->callback([options, &action] { action = [options] { return grid(*options); }; });
}

}  // namespace waitdiag::tool

// waitdiag export: a run in the formats of other viewers.
//
// SPDX-License-Identifier: BSD-3-Clause
#include <CLI/CLI.hpp>
#include <memory>

#include "tools/waitdiag/command_line/choice.hpp"
#include "tools/waitdiag/command_line/command.hpp"
#include "tools/waitdiag/command_line/common_options.hpp"
#include "tools/waitdiag/export/export_output.hpp"

namespace waitdiag::tool {

void add_export_command(CLI::App& app, Action& action) {
  const auto options = std::make_shared<ExportOptions>();
  CLI::App* command =
      app.add_subcommand("export", "Write a diagnosed run for other viewers: Perfetto, Cube, Paraver, ...");
  command->footer(
      "Example: waitdiag export waitprof-solver-4p-20261120-1432 --perfetto solver.pftrace --only-ranks 0-3");
  add_trace_source(*command, options->source);
  const auto file = [&](const char* name, std::string& value, const char* help) {
    add_output_file(*command, name, value, help);
  };
  file("--perfetto", options->perfetto,
       "For ui.perfetto.dev: calls, waits with their causes, messages as arrows, memory and processor use");
  file("--speedscope", options->speedscope,
       "For speedscope.app: a timeline for each rank; computation, waiting, and waiting caused by call path");
  file("--cube", options->cube,
       "For Cube, Hatchet, Extra-P: waits, caused waiting and excess by metric, call path and thread");
  command
      ->add_option(
          "--paraver", options->paraver,
          "For Paraver: FILE.prv, FILE.pcf and FILE.row with calls, waits with their causes, messages")
      ->type_name("FILE.prv");
  file("--folded", options->folded, "The same sums as folded stacks for flame graphs, in nanoseconds");
  add_csv_option(*command, options->csv,
                 "every wait, every message, the call tree and the tables of `waitdiag report --csv`, of the "
                 "whole run,");
  add_json_option(*command, options->json, "the report of the whole run", "report");
  command->add_flag("--notation", options->text, "Print the trace in the text notation of test cases");
  add_selection_options(*command, options->window, options->ranks, "Only");
  command
      ->add_option(
          "--most-calls", options->most_calls,
          "Without --window, timelines of more MPI calls are the stretch with most waiting [1000000]")
      ->check(number_between(1, 1'000'000'000))
      ->type_name("N");
  add_quiet_option(*command, options->quiet);
  command->callback([options, &action] {
    action = [options] {
      write_exports(*options);
      return kSuccess;
    };
  });
}

}  // namespace waitdiag::tool

// waitdiag export: a run in the formats of other viewers.
//
// SPDX-License-Identifier: BSD-3-Clause
#include <CLI/CLI.hpp>
#include <memory>

#include "tools/waitdiag/command_line/choice.hpp"
#include "tools/waitdiag/command_line/command.hpp"
#include "tools/waitdiag/export/export_output.hpp"

namespace waitdiag::tool {

void add_export_command(CLI::App& app, Action& action) {
  const auto options = std::make_shared<ExportOptions>();
  CLI::App* command =
      app.add_subcommand("export", "Write a diagnosed run for other viewers: Perfetto, Cube, Paraver, ...");
  command->footer(
      "Example: waitdiag export waitprof-solver-4p-20261120-1432 --perfetto solver.pftrace --ranks 0-3");
  command
      ->add_option("DIR", options->source.path,
                   "Archive directory, its anchor file (*.otf2), or a *.case or *.trace text file")
      ->required()
      ->type_name("");
  command->add_flag("--partial", options->source.partial,
                    "Read what is left of a damaged archive; figures may be wrong");
  const auto file = [&](const char* name, std::string& value, const char* help) {
    command->add_option(name, value, std::string(help) + "; - is stdout")->type_name("FILE");
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
  command
      ->add_option(
          "--csv", options->csv,
          "Tables: every wait, every message, the call tree; and those of `waitdiag report --csv`, of the "
          "whole run")
      ->check(directory_to_write())
      ->type_name("DIR");
  file("--json", options->json, "The report as JSON (schema waitdiag.report/1), of the whole run");
  command->add_flag("--text", options->text, "Print the trace in the text notation of test cases");
  command->add_option("--window", options->window, "Only this stretch of the run, in seconds since its start")
      ->type_name("FROM:TO");
  command->add_option("--ranks", options->ranks, "Only these ranks")->type_name("FIRST-LAST");
  command
      ->add_option(
          "--most-calls", options->most_calls,
          "Without --window, timelines of more MPI calls are the stretch with most waiting [1000000]")
      ->check(number_between(1, 1'000'000'000))
      ->type_name("N");
  command->add_flag("--quiet", options->quiet, "No progress");
  command->callback([options, &action] {
    action = [options] {
      write_exports(*options);
      return kSuccess;
    };
  });
}

}  // namespace waitdiag::tool

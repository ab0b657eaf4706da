// waitdiag run: records a program, then diagnoses what was recorded. The program's own output, input and exit
// status stay as they are; waitdiag's own output goes to stderr, unless stdout is a terminal, where no
// program depends on it.
//
// SPDX-License-Identifier: BSD-3-Clause
#include <CLI/CLI.hpp>
#include <memory>

#include "tools/waitdiag/command_line/choice.hpp"
#include "tools/waitdiag/command_line/command.hpp"
#include "tools/waitdiag/launching/launch_line.hpp"
#include "tools/waitdiag/run/record_and_report.hpp"

namespace waitdiag::tool {

void add_run_command(CLI::App& app, Action& action, const std::vector<std::string>& launch_line) {
  const auto options = std::make_shared<RunOptions>();
  CLI::App* command = app.add_subcommand("run", "Record a program, then say who made whom wait");
  command->footer(
      "Everything behind -- is the launch line, unchanged. The exit status is the program's; 125: it could "
      "not be started.\n"
      "Example: waitdiag run -o first-try -- mpirun -n 4 ./app input.dat");
  take_launch_line(*command, "LAUNCH LINE");
  command
      ->add_option("-o,--output", options->directory,
                   "Archive directory [waitprof-<program>-<ranks>p-<date>-<time>]")
      ->check(directory_to_write())
      ->type_name("DIR");
  add_recorder_options(*command, options->recorder);
  command->add_flag("--page", options->page,
                    "Also write the report as a page, report.html in the archive directory");
  add_text_options(*command, options->text);
  command->callback([options, command, &launch_line, &action] {
    action = with_launch_line(*command, launch_line, [options](const std::vector<std::string>& words) {
      options->launch_line = words;
      return record_and_report(*options);
    });
  });
}

}  // namespace waitdiag::tool

// waitdiag doctor: checks everything that a recording depends on, and starts the launch line once to try it.
//
// SPDX-License-Identifier: BSD-3-Clause
#include <CLI/CLI.hpp>
#include <memory>

#include "tools/waitdiag/command_line/choice.hpp"
#include "tools/waitdiag/command_line/command.hpp"
#include "tools/waitdiag/doctor/examination.hpp"
#include "tools/waitdiag/launching/launch_line.hpp"

namespace waitdiag::tool {

void add_doctor_command(CLI::App& app, Action& action, const std::vector<std::string>& launch_line) {
  const auto options = std::make_shared<DoctorOptions>();
  CLI::App* command = app.add_subcommand("doctor", "Say whether recording works here, and what to do if not");
  command->footer(
      "Looks at the machine and the program, then really starts the launch line with the recorder, for a "
      "short "
      "time, in a directory that is removed again; the program's output is not shown. Without a launch line: "
      "the "
      "machine only. Exit status 0: recording works, 1: it does not, 125: the launch line could not be "
      "started.\n"
      "Example: waitdiag doctor -- mpirun -n 2 ./app input.dat");
  take_launch_line(*command, "LAUNCH LINE");
  command->add_option("-o,--output", options->directory, "Where recordings are to go [.]")
      ->check(directory_to_write())
      ->type_name("DIR");
  command->add_option("--time-limit", options->seconds, "Seconds after which the trial is ended [20]")
      ->check(number_between(1U, 86'400U))
      ->type_name("S");
  add_color_option(*command, options->color);
  command->callback([options, command, &launch_line, &action] {
    action = with_launch_line(*command, launch_line, [options](const std::vector<std::string>& words) {
      return examine(*options, words);
    });
  });
}

}  // namespace waitdiag::tool

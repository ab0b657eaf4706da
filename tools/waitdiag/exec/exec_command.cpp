// waitdiag exec: replaces itself by the program, with the recorder loaded. A launcher starts it once for
// every rank, where `waitdiag run` does not know the launcher or a script stands in between.
//
// SPDX-License-Identifier: BSD-3-Clause
#include <filesystem>
#include <iostream>
#include <memory>

#include <CLI/CLI.hpp>
#include "tools/waitdiag/command_line/choice.hpp"
#include "tools/waitdiag/command_line/command.hpp"
#include "tools/waitdiag/command_line/launched_rank.hpp"
#include "tools/waitdiag/launching/child.hpp"
#include "tools/waitdiag/launching/launch_line.hpp"
#include "tools/waitdiag/launching/launcher_fit.hpp"
#include "tools/waitdiag/launching/no_archive.hpp"
#include "tools/waitdiag/launching/recorder_options.hpp"
#include "tools/waitdiag/launching/recording.hpp"
#include "tools/waitdiag/launching/search_path.hpp"

namespace waitdiag::tool {
namespace {

struct ExecCommand {
  std::string directory;
  RecorderOptions recorder;
};

int execute(const ExecCommand& options, const std::vector<std::string>& command) {
  if (command.empty()) throw UsageError("say what to run, for example `mpirun -n 4 waitdiag exec -- ./app`");
  const std::string directory =
      options.directory.empty() ? "" : std::filesystem::absolute(options.directory).string();
  const std::string program = find_executable(command.front());
  if (speaks_for_all_ranks()) {
    const ProgramProbe probe = probe_program(program);
    if (const std::string reason = why_out_of_reach(program, probe); !reason.empty())
      std::cerr << "waitdiag: nothing will be recorded: " << reason << std::endl;
    if (const std::string reason = why_ranks_are_alone(launcher_of_this_process(), program, probe);
        !reason.empty())
      std::cerr << "waitdiag: " << reason << std::endl;
  }
  Launch launch{command, preload_settings(directory)};
  for (const auto& setting : recorder_settings(options.recorder)) launch.environment.push_back(setting);
  unsetenv("WAITPROF_LIBRARY");  // a setting of waitdiag; the recorder would warn that it does not know it
  cannot_start(command.front(), become(launch));
}

}  // namespace

void add_exec_command(CLI::App& app, Action& action, const std::vector<std::string>& launch_line) {
  const auto options = std::make_shared<ExecCommand>();
  CLI::App* command = app.add_subcommand("exec", "Record, started by the launcher itself; prints no report");
  command->footer(
      "Becomes COMMAND, with the recorder loaded: for launchers and scripts that `waitdiag run` cannot see "
      "through. The exit status is the program's; 125: it could not be started. Then: waitdiag report DIR.\n"
      "Example: srun waitdiag exec -o first-try -- ./app input.dat");
  take_launch_line(*command, "COMMAND");
  command
      ->add_option("-o,--output", options->directory,
                   "Archive directory [WAITPROF_DIR, or waitprof-<program>-<ranks>p-<date>-<time>]")
      ->check(directory_to_write())
      ->type_name("DIR");
  add_recorder_options(*command, options->recorder);
  command->callback([options, command, &launch_line, &action] {
    action = with_launch_line(*command, launch_line, [options](const std::vector<std::string>& words) {
      return execute(*options, words);
    });
  });
}

}  // namespace waitdiag::tool

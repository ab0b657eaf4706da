// waitdiag: the command line. Parses it, runs the one command, and turns every trouble into one line and an
// exit status: 2 the command line is wrong, 3 the input cannot be used, 125 `run`, `exec`, `doctor` or
// `check` could not start the program.
//
// SPDX-License-Identifier: BSD-3-Clause
#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <exception>
#include <iostream>
#include <memory>
#include <new>
#include <string>
#include <string_view>
#include <vector>

#include "analyzer/trace/memory/memory_limit.hpp"
#include "analyzer/trace/model/printable.hpp"
#include "tools/waitdiag/command_line/command.hpp"
#include "tools/waitdiag/command_line/help_format.hpp"
#include "tools/waitdiag/command_line/launched_rank.hpp"
#include "tools/waitdiag/command_line/memory_options.hpp"
#include "tools/waitdiag/command_line/progress.hpp"
#include "tools/waitdiag/command_line/usage.hpp"

namespace waitdiag::tool {
namespace {

bool starts_program(const std::vector<std::string>& arguments) {
  static constexpr std::array<std::string_view, 4> kCommands{"run", "exec", "doctor", "check"};
  return !arguments.empty() &&
         std::find(kCommands.begin(), kCommands.end(), arguments.front()) != kCommands.end();
}

// Everything behind the first "--" of `waitdiag run ... -- mpirun ...` belongs to the launcher, untouched.
std::vector<std::string> split_off_launch_line(std::vector<std::string>& arguments) {
  if (!starts_program(arguments)) return {};
  const auto mark = std::find(arguments.begin(), arguments.end(), "--");
  if (mark == arguments.end()) return {};
  std::vector<std::string> launch_line(mark + 1, arguments.end());
  arguments.erase(mark, arguments.end());
  return launch_line;
}

// Messages may quote text that was read from files.
int complain(const std::string& text, int status) {
  std::cout.flush();
  std::cerr << "waitdiag: " << printable(text) << '\n';
  return status;
}

int run_command_line(CLI::App& app, std::vector<std::string> arguments, const Action& action) {
  std::reverse(arguments.begin(), arguments.end());  // the parser takes them from the end
  try {
    app.parse(std::move(arguments));
  } catch (const CLI::Success& wish) {  // --help, --version
    return app.exit(wish);
  } catch (const CLI::ParseError& error) {
    const std::string unexpected = unexpected_argument(app);
    throw UsageError(unexpected.empty() ? error.what() : unexpected);
  }
  if (const std::string unexpected = unexpected_argument(app); !unexpected.empty())
    throw UsageError(unexpected);
  if (!action) throw UsageError("say what to do, for example `waitdiag run -- mpirun -n 4 ./app`");
  const int status = action();
  if (!std::cout.flush())
    throw std::runtime_error("cannot write to standard output (closed, or the disk is full)");
  return status;
}

// The commands that read archives, and may take longer than a second.
constexpr std::array<const char*, 10> kReadArchives{"run",  "report", "predict", "compare", "balance",
                                                    "grid", "scale",  "check",   "info",    "export"};

void add_progress_option(CLI::App& command) {
  command.add_flag_callback("--no-progress", Progress::hide_all,
                            "Do not show on a terminal how far a long step is");
}

// `predict --repair solve DIR`: the directory is no second cause. But `compare A A --with B B` names two runs.
void take_one_value_at_a_time(CLI::App& app) {
  for (CLI::App* const command : app.get_subcommands({}))
    for (CLI::Option* const option : command->get_options())
      if (!option->get_positional() && !option->check_name("--with")) option->allow_extra_args(false);
}

int run(std::vector<std::string> arguments) {
  CLI::App app("Says who made whom wait in an MPI program, and why.", "waitdiag");
  app.formatter(std::make_shared<HelpFormat>());  // inherited by the commands
  app.set_version_flag("--version", "waitdiag " WAITPROF_VERSION);
  app.require_subcommand(0, 1);
  app.allow_extras();  // so that we can suggest a name for a slip; inherited by the commands
  app.footer(
      "A program beside this one, waitdiag-calibrate, measures a machine for predict: mpirun -n 32 "
      "waitdiag-calibrate -o machine.toml\n"
      "Started several times by a launcher (mpirun -n 4 waitdiag report DIR), rank 0 works alone, with the "
      "cores of all ranks on its machine; the others sleep.\n"
      "Example: waitdiag run -- mpirun -n 4 ./app");
  if (!starts_program(arguments)) {
    if (repeats_rank_0()) {
      wait_for_rank_0_here();
      return kSuccess;
    }
    take_cores_of_ranks_here();
  }
  Action action;
  const std::vector<std::string> launch_line = split_off_launch_line(arguments);
  add_run_command(app, action, launch_line);
  add_exec_command(app, action, launch_line);
  add_doctor_command(app, action, launch_line);
  add_report_command(app, action);
  add_predict_command(app, action);
  add_compare_command(app, action);
  add_balance_command(app, action);
  add_grid_command(app, action);
  add_scale_command(app, action);
  add_check_command(app, action, launch_line);
  add_info_command(app, action);
  add_recover_command(app, action);
  add_patterns_command(app, action);
  add_export_command(app, action);
  add_backend_command(app, action);
  add_documentation_command(app, action);
  for (const char* const command : kReadArchives) {
    add_progress_option(*app.get_subcommand(command));
    add_memory_options(*app.get_subcommand(command));
  }
  take_one_value_at_a_time(app);
  limit_memory_as_usual();
  try {
    return run_command_line(app, std::move(arguments), action);
  } catch (const UsageError& error) {
    return complain(usage_line(app, error.what()), kUsageError);
  } catch (const CannotStart& error) {
    return complain(error.what(), kCannotStart);
  } catch (const ScratchError& error) {
    return complain(error.what(), kUnusableInput);
  } catch (const std::bad_alloc&) {
    return complain(
        "out of memory: a run takes 30 to 70 bytes for each event; let more of it lie in a scratch file "
        "(--memory SIZE), analyse it on a larger machine, or record fewer of its steps (WAITPROF_STEPS)",
        kUnusableInput);
  } catch (const std::exception& error) {  // TraceError, and errors from the system
    return complain(error.what(), kUnusableInput);
  }
}

}  // namespace
}  // namespace waitdiag::tool

int main(int argc, char** argv) {
  return waitdiag::tool::run(std::vector<std::string>(argv + 1, argv + argc));
}

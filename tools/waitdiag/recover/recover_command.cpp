// waitdiag recover: the archive of a program that was killed, made of what it left in its directory.
//
// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <filesystem>
#include <iostream>
#include <memory>
#include <string>
#include <vector>

#include "analyzer/trace/model/trace_error.hpp"
#include "analyzer/wording/numbers.hpp"
#include "tools/waitdiag/command_line/choice.hpp"
#include "tools/waitdiag/command_line/command.hpp"
#include "tools/waitdiag/command_line/errors.hpp"
#include "tools/waitdiag/input/recovery.hpp"

namespace waitdiag::tool {
namespace {

struct RecoverCommand {
  std::vector<std::string> directories;
  std::string output;
};

// Does a recording lie there that was not completed?
bool needs_recovery(const std::string& directory) {
  if (is_unfinished(directory)) return true;
  std::error_code ignored;
  if (std::filesystem::exists(std::filesystem::path(directory) / "traces.otf2", ignored)) return false;
  throw TraceError(fmt::format(
      "nothing to recover in {}: it has no directory `unfinished` that a killed program would have left",
      directory));
}

int recover(const RecoverCommand& command) {
  namespace fs = std::filesystem;
  std::error_code ignored;
  if (command.directories.size() > 1 && command.output.empty())
    throw UsageError("several directories become one new archive: name it with --output DIR");
  for (const std::string& directory : command.directories) {
    if (needs_recovery(directory)) continue;
    std::cerr << "waitdiag: " << directory << " is a complete archive: there is nothing to recover\n";
    return kSuccess;
  }
  if (!command.output.empty() && fs::exists(command.output, ignored) &&
      !fs::is_empty(command.output, ignored))
    throw TraceError(command.output + " exists and is not empty; name a new directory with --output DIR");
  const std::string done = recover_and_say(command.directories, command.output);
  std::cerr << "waitdiag: " << done << '\n';
  return kSuccess;
}

}  // namespace

void add_recover_command(CLI::App& app, Action& action) {
  const auto options = std::make_shared<RecoverCommand>();
  CLI::App* command =
      app.add_subcommand("recover", "Make an archive of what a killed program left in its directory");
  command->footer(
      "`report` and `info` do it by themselves. Nothing is lost but the call that was going on.\n"
      "Example: waitdiag recover waitprof-solver-64p-20261120-1432");
  command
      ->add_option("DIR", options->directories,
                   "Directory that the recorder made; several: the parts of nodes that do not share one")
      ->required()
      ->type_name("");
  command
      ->add_option("-o,--output", options->output,
                   "Write the archive into this new directory, and leave DIR as it is")
      ->check(directory_to_write())
      ->type_name("DIR");
  command->callback([options, &action] { action = [options] { return recover(*options); }; });
}

}  // namespace waitdiag::tool

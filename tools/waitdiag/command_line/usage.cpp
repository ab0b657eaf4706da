// Says in one line what is wrong with a command line and how to put it right.
//
// SPDX-License-Identifier: BSD-3-Clause
#include "tools/waitdiag/command_line/usage.hpp"
#include "tools/waitdiag/command_line/common_options.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>

#include "tools/waitdiag/command_line/nearest_name.hpp"

namespace waitdiag::tool {
namespace {

const CLI::App& innermost(const CLI::App& app) {
  const auto used = app.get_subcommands();
  return used.empty() ? app : *used.front();
}

std::vector<std::string> option_names(const CLI::App& command) {
  std::vector<std::string> names;
  for (const CLI::Option* option : command.get_options())
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  return names;
}

std::vector<std::string> command_names(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::App* command : app.get_subcommands({})) names.push_back(command->get_name());
  return names;
}

std::string with_suggestion(const std::string& problem, const std::string& nearest) {
  return nearest.empty() ? problem : problem + "; did you mean " + nearest + "?";
}

}  // namespace

std::string unexpected_argument(const CLI::App& app) {
  const CLI::App& command = innermost(app);
  const std::vector<std::string> unwanted = command.remaining();
  if (unwanted.empty()) return "";
  const std::string& argument = unwanted.front();
  if (argument.size() > 1 && argument.front() == '-') {
    const std::string name = argument.substr(0, argument.find('='));
    if (std::string renamed = renamed_option(command.get_name(), name); !renamed.empty()) return renamed;
    return with_suggestion("unknown option " + name, nearest_name(name, option_names(command)));
  }
  if (command.get_prefix_command()) return "";
  if (&command == &app && argument == "calibrate")
    return "'calibrate' is a program of its own: mpirun -n 32 waitdiag-calibrate -o machine.toml";
  if (&command == &app)
    return with_suggestion("unknown command '" + argument + "'", nearest_name(argument, command_names(app)));
  return "unexpected argument '" + argument + "'";
}

std::string usage_line(const CLI::App& app, std::string problem) {
  std::replace(problem.begin(), problem.end(), '\n', ' ');
  const CLI::App& command = innermost(app);
  return problem + " (see `waitdiag " + (&command == &app ? "" : command.get_name() + " ") + "--help`)";
}

}  // namespace waitdiag::tool

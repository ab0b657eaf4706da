// waitdiag documentation: manual pages and completions of the command line, made from the command line
// itself, so that they say the same as --help. The build calls it.
//
// SPDX-License-Identifier: BSD-3-Clause
#include <CLI/CLI.hpp>
#include <filesystem>
#include <memory>
#include <ostream>

#include "tools/waitdiag/command_line/command.hpp"
#include "tools/waitdiag/documentation/described_command.hpp"
#include "tools/waitdiag/documentation/documentation.hpp"
#include "tools/waitdiag/output/output_file.hpp"

namespace waitdiag::tool {
namespace {

DescribedOption described(const CLI::Option& option) {
  DescribedOption described;
  described.positional = option.get_positional();
  for (const std::string& name : option.get_snames()) described.names.push_back("-" + name);
  for (const std::string& name : option.get_lnames()) described.names.push_back("--" + name);
  if (described.positional) described.names = {option.get_name(true)};
  described.values = option.get_type_size() == 0 ? "" : option.get_type_name();
  described.about = option.get_description();
  return described;
}

DescribedCommand described(const CLI::App& app) {
  DescribedCommand command{
      .name = app.get_name(), .about = app.get_description(), .example = app.get_footer()};
  for (const CLI::Option* option : app.get_options())
    if (!option->get_group().empty()) command.options.push_back(described(*option));
  for (const CLI::App* inner : app.get_subcommands({}))
    if (!inner->get_group().empty()) command.commands.push_back(described(*inner));
  return command;
}

int write_documentation(const CLI::App& app, const std::filesystem::path& directory) {
  const DescribedCommand all = described(app);
  const auto write = [&](const std::string& name, const std::string& text) {
    const std::filesystem::path file = directory / name;
    std::filesystem::create_directories(file.parent_path());
    write_file(file.string(), [&text](std::ostream& out) { out << text; });
  };
  write("man/waitdiag.1", manual_page(all));
  for (const DescribedCommand& command : all.commands)
    write("man/waitdiag-" + command.name + ".1", manual_page(all, command));
  write("bash/waitdiag", bash_completion(all));
  write("zsh/_waitdiag", zsh_completion(all));
  write("fish/waitdiag.fish", fish_completion(all));
  return kSuccess;
}

}  // namespace

void add_documentation_command(CLI::App& app, Action& action) {
  const auto directory = std::make_shared<std::string>();
  CLI::App* command =
      app.add_subcommand("documentation", "Write manual pages and completions into a directory");
  command->group("");  // for the build, not for users
  command->add_option("DIR", *directory, "Where")->required();
  command->callback([&app, directory, &action] {
    action = [&app, directory] { return write_documentation(app, *directory); };
  });
}

}  // namespace waitdiag::tool

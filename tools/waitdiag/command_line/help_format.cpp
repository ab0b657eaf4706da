// SPDX-License-Identifier: BSD-3-Clause
#include "tools/waitdiag/command_line/help_format.hpp"

#include <unistd.h>

#include <sstream>
#include <string_view>

#include "tools/waitdiag/command_line/terminal.hpp"

namespace waitdiag::tool {
namespace {

std::size_t help_width() {
  return text_style(STDOUT_FILENO, ColorChoice::Never).width;
}

// The name in its column, the meaning beside it, or below it if the name is too wide.
std::string entry(const std::string& name, const std::string& meaning, std::size_t column) {
  const std::string text = wrap(meaning, help_width(), column);
  if (meaning.empty()) return "  " + name + "\n";
  if (name.size() + 2 < column) return "  " + pad_right(name, column - 2) + text.substr(column) + "\n";
  return "  " + name + "\n" + text + "\n";
}

// Wraps each line by itself; examples are for copying and stay as they are.
std::string wrapped_lines(const std::string& text) {
  std::istringstream lines(text);
  std::string result;
  for (std::string line; std::getline(lines, line);)
    result += (line.starts_with("Example:") ? line : wrap(line, help_width(), 0)) + "\n";
  return result;
}

}  // namespace

// Options that exclude each other are refused where they are used, so the help does not list them.
std::string HelpFormat::make_option(const CLI::Option* option, bool is_positional) const {
  std::string values = make_option_opts(option);
  for (const std::string_view list : {" Excludes:", " Needs:"}) values = values.substr(0, values.find(list));
  return entry(make_option_name(option, is_positional) + values, make_option_desc(option),
               get_column_width());
}

std::string HelpFormat::make_subcommand(const CLI::App* command) const {
  return entry(command->get_display_name(true), command->get_description(), get_column_width());
}

std::string HelpFormat::make_description(const CLI::App* command) const {
  return wrapped_lines(command->get_description());
}

std::string HelpFormat::make_footer(const CLI::App* command) const {
  return wrapped_lines(command->get_footer());
}

}  // namespace waitdiag::tool

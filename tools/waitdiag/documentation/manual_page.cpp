// SPDX-License-Identifier: BSD-3-Clause
#include "tools/waitdiag/documentation/documentation.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

namespace waitdiag::tool {
namespace {

// Backslashes and hyphens have a meaning in roff, as do dots and quotes at the beginning of a line.
std::string escaped(const std::string& text) {
  std::string result;
  for (const char c : text) {
    if (c == '\\')
      result += "\\e";
    else if (c == '-')
      result += "\\-";
    else
      result += c;
  }
  return !result.empty() && (result.front() == '.' || result.front() == '\'') ? "\\&" + result : result;
}

std::string title(const std::string& name) {
  std::string upper = name;
  std::transform(upper.begin(), upper.end(), upper.begin(), [](unsigned char c) { return std::toupper(c); });
  return fmt::format(".TH {} 1 \"\" \"WaitProf {}\" \"User Commands\"\n", escaped(upper), WAITPROF_VERSION);
}

std::string name_section(const std::string& name, const std::string& about) {
  return fmt::format(".SH NAME\n{} \\- {}\n", escaped(name), escaped(about));
}

std::string option_lines(const DescribedOption& option) {
  std::string names;
  for (const std::string& name : option.names) names += (names.empty() ? "" : ", ") + escaped(name);
  const bool shown = !option.values.empty() && !option.positional;
  const std::string values = shown ? " \\fI" + escaped(option.values) + "\\fR" : "";
  return fmt::format(".TP\n\\fB{}\\fR{}\n{}\n", names, values, escaped(option.about));
}

std::string options_section(const DescribedCommand& command, bool positional, const char* heading) {
  std::string lines;
  for (const DescribedOption& option : command.options)
    if (option.positional == positional) lines += option_lines(option);
  return lines.empty() ? "" : fmt::format(".SH {}\n{}", heading, lines);
}

std::string example_section(const DescribedCommand& command) {
  constexpr std::string_view kLabel = "Example: ";
  const std::string& text = command.example;
  if (!text.starts_with(kLabel)) return "";
  return fmt::format(".SH EXAMPLE\n.nf\n{}\n.fi\n", escaped(text.substr(kLabel.size())));
}

std::string see_also(const DescribedCommand& program, const std::string& but) {
  std::string pages;
  for (const DescribedCommand& other : program.commands) {
    if (other.name != but) pages += fmt::format(".BR {}\\-{} (1),\n", program.name, escaped(other.name));
  }
  return ".SH SEE ALSO\n" + (but.empty() ? "" : fmt::format(".BR {} (1),\n", program.name)) + pages +
         ".BR waitprof (7)\n";
}

constexpr const char* kExitStatus =
    ".SH EXIT STATUS\n"
    ".TP\n\\fB0\\fR\nAll is done.\n"
    ".TP\n\\fB2\\fR\nThe command line is wrong.\n"
    ".TP\n\\fB3\\fR\nThe input cannot be used.\n"
    ".PP\nSome commands have further ones; their options say so.\n"
    "Each trouble is one line on standard error: what, where, the likely reason, and what to do.\n";

}  // namespace

std::string manual_page(const DescribedCommand& program) {
  std::string commands;
  for (const DescribedCommand& command : program.commands)
    commands += fmt::format(".TP\n.BR {}\\-{} (1)\n{}\n", program.name, escaped(command.name),
                            escaped(command.about));
  return title(program.name) + name_section(program.name, program.about) +
         fmt::format(".SH SYNOPSIS\n.B {}\n\\fICOMMAND\\fR [\\fIOPTIONS\\fR]\n", program.name) +
         ".SH COMMANDS\n" + commands + options_section(program, false, "OPTIONS") + kExitStatus +
         example_section(program) + see_also(program, "");
}

std::string manual_page(const DescribedCommand& program, const DescribedCommand& command) {
  const std::string name = program.name + "-" + command.name;
  std::string synopsis = fmt::format(".SH SYNOPSIS\n.B {} {}\n[\\fIOPTIONS\\fR]", program.name, command.name);
  for (const DescribedOption& option : command.options)
    if (option.positional) synopsis += fmt::format(" \\fI{}\\fR", escaped(option.names.front()));
  return title(name) + name_section(name, command.about) + synopsis + "\n" +
         options_section(command, true, "ARGUMENTS") + options_section(command, false, "OPTIONS") +
         kExitStatus + example_section(command) + see_also(program, command.name);
}

}  // namespace waitdiag::tool

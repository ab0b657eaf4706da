// waitdiag patterns: lists the wait patterns; with an id, what the pattern means, its formula and what to do
// about it.
//
// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/diagnosis/patterns/registry.hpp"

#include <unistd.h>

#include <CLI/CLI.hpp>
#include <iostream>
#include <memory>

#include "tools/waitdiag/command_line/command.hpp"
#include "tools/waitdiag/command_line/pattern_choice.hpp"
#include "tools/waitdiag/command_line/terminal.hpp"

namespace waitdiag::tool {
namespace {

struct PatternsCommand {
  std::string id;
  ColorChoice color = ColorChoice::Auto;
};

void list_patterns(const TextStyle& style) {
  constexpr std::size_t kIdWidth = 26;
  constexpr std::size_t kIndent = 4;
  for (const WaitPattern* pattern : wait_patterns()) {
    std::cout << style.paint(Ink::Strong, pad_right(pattern->id, kIdWidth)) << ' ' << pattern->title;
    if (!pattern->part_of.empty()) std::cout << " (part of " << pattern->part_of << ')';
    if (pattern->part_of.empty() && !pattern->waiting) std::cout << " (listed, not waiting)";
    std::cout << '\n' << style.paint(Ink::Faint, wrap(pattern->summary, style.width, kIndent)) << '\n';
  }
}

void describe_pattern(const WaitPattern& pattern, const TextStyle& style) {
  constexpr std::size_t kLabelWidth = 12;
  const auto line = [&style](std::string_view label, std::string_view text) {
    std::cout << style.paint(Ink::Strong, pad_right(label, kLabelWidth))
              << wrap(text, style.width, kLabelWidth).substr(kLabelWidth) << '\n';
  };
  line("Pattern", std::string(pattern.title) + " (" + std::string(pattern.id) + ")");
  line("What", pattern.summary);
  line("What to do", pattern.advice);
  line("Formula", pattern.rule);
  if (!pattern.part_of.empty())
    line("Part of", std::string(pattern.part_of) + ": its time is already in there");
  if (pattern.part_of.empty() && !pattern.waiting) line("Counted", "listed beside the waits, not as waiting");
  if (!pattern.in_scalasca) line("Scalasca", "not looked for with --rules scalasca");
}

int print_patterns(const PatternsCommand& command) {
  const TextStyle style = text_style(STDOUT_FILENO, command.color);
  if (command.id.empty())
    list_patterns(style);
  else
    describe_pattern(find_pattern(command.id), style);
  return kSuccess;
}

}  // namespace

void add_patterns_command(CLI::App& app, Action& action) {
  const auto options = std::make_shared<PatternsCommand>();
  CLI::App* command = app.add_subcommand("patterns", "Explain the kinds of waiting that are looked for");
  command->footer("Example: waitdiag patterns late_sender");
  command->add_option("ID", options->id, "One pattern: its meaning, its formula, what to do about it")
      ->type_name("");
  add_color_option(*command, options->color);
  command->callback([options, &action] { action = [options] { return print_patterns(*options); }; });
}

}  // namespace waitdiag::tool

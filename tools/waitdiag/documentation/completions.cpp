// SPDX-License-Identifier: BSD-3-Clause
#include "tools/waitdiag/documentation/documentation.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <vector>

namespace waitdiag::tool {
namespace {

constexpr const char* kHeader = "# Completion of waitdiag for {}; made from its command line.\n";

// The words of "auto|always|FILE" that stand for themselves.
std::vector<std::string> words_of(std::string_view values) {
  std::vector<std::string> words;
  while (!values.empty()) {
    const std::string_view word = values.substr(0, values.find('|'));
    values.remove_prefix(std::min(values.size(), word.size() + 1));
    const bool plain = std::all_of(word.begin(), word.end(), [](char c) {
      return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-';
    });
    if (plain && !word.empty()) words.emplace_back(word);
  }
  return words;
}

bool wants_file(const DescribedOption& option) {
  return option.values.find("FILE") != std::string::npos || option.values.find("DIR") != std::string::npos;
}

std::string joined(const std::vector<std::string>& words, std::string_view between) {
  return fmt::format("{}", fmt::join(words, between));
}

// In single quotes of a shell.
std::string shell_quoted(const std::string& text) {
  std::string result;
  for (const char c : text) result += c == '\'' ? "'\\''" : std::string(1, c);
  return "'" + result + "'";
}

std::vector<std::string> option_names(const DescribedCommand& command) {
  std::vector<std::string> names;
  for (const DescribedOption& option : command.options)
    if (!option.positional) names.insert(names.end(), option.names.begin(), option.names.end());
  return names;
}

// `words` of zsh's _arguments mean something with : [ ] in them.
std::string zsh_text(const std::string& text) {
  std::string result;
  for (const char c : text) {
    if (c == ':' || c == '[' || c == ']' || c == '\\') result += '\\';
    result += c;
  }
  return result;
}

std::string zsh_option(const DescribedOption& option, const std::string& name) {
  std::string text = name + (option.values.empty() ? "" : "=") + "[" + zsh_text(option.about) + "]";
  if (!option.values.empty()) {
    const std::vector<std::string> words = words_of(option.values);
    const std::string what = wants_file(option) ? "_files"
                             : words.empty()    ? ""
                                                : "(" + joined(words, " ") + ")";
    text += ":" + zsh_text(option.values) + ":" + what;
  }
  return shell_quoted(text);
}

}  // namespace

std::string bash_completion(const DescribedCommand& program) {
  std::string values, options, names;
  for (const DescribedCommand& command : program.commands) {
    names += (names.empty() ? "" : " ") + command.name;
    options += fmt::format("    {}) words=\"{}\" ;;\n", command.name, joined(option_names(command), " "));
    for (const DescribedOption& option : command.options) {
      const std::vector<std::string> words = words_of(option.values);
      if (option.positional || words.empty() || wants_file(option)) continue;
      for (const std::string& name : option.names)
        values += fmt::format("    {}:{}) words=\"{}\" only=1 ;;\n", command.name, name, joined(words, " "));
    }
  }
  return fmt::format(kHeader, "bash") +
         "_waitdiag() {\n"
         "  local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]} command=\"\" "
         "words=\"\" only=\"\" i\n"
         "  for ((i = 1; i < COMP_CWORD; ++i)); do\n"
         "    [[ ${COMP_WORDS[i]} == -- ]] && return\n"
         "    [[ -n $command || ${COMP_WORDS[i]} == -* ]] || command=${COMP_WORDS[i]}\n"
         "  done\n"
         "  case $command in\n"
         "    \"\") words=\"" +
         names + " " + joined(option_names(program), " ") + "\" only=1 ;;\n" + options +
         "  esac\n"
         "  case $command:$before in\n" +
         values +
         "  esac\n"
         "  COMPREPLY=()\n"
         "  [[ -z $only && $word != -* ]] || mapfile -t COMPREPLY < <(compgen -W \"$words\" -- \"$word\")\n"
         "}\n"
         "complete -o default -F _waitdiag waitdiag\n";
}

std::string zsh_completion(const DescribedCommand& program) {
  std::string commands, cases;
  for (const DescribedCommand& command : program.commands) {
    commands += fmt::format("    {}\n", shell_quoted(zsh_text(command.name) + ":" + command.about));
    cases += fmt::format("    {})\n      _arguments \\\n", command.name);
    for (const DescribedOption& option : command.options) {
      if (option.positional) continue;
      for (const std::string& name : option.names) cases += "        " + zsh_option(option, name) + " \\\n";
    }
    cases += "        '*:file:_files' ;;\n";
  }
  return "#compdef waitdiag\n" + fmt::format(kHeader, "zsh") +
         "_waitdiag() {\n"
         "  local -a commands\n"
         "  local context state state_descr line\n"
         "  typeset -A opt_args\n"
         "  commands=(\n" +
         commands +
         "  )\n"
         "  _arguments -C '1:command:->command' '*::argument:->argument'\n"
         "  case $state in\n"
         "  command) _describe command commands ;;\n"
         "  argument)\n"
         "    case $words[1] in\n" +
         cases +
         "    esac ;;\n"
         "  esac\n"
         "}\n"
         "_waitdiag \"$@\"\n";
}

std::string fish_completion(const DescribedCommand& program) {
  std::string text = fmt::format(kHeader, "fish");
  for (const DescribedCommand& command : program.commands) {
    text += fmt::format("complete -c waitdiag -f -n __fish_use_subcommand -a {} -d {}\n", command.name,
                        shell_quoted(command.about));
    for (const DescribedOption& option : command.options) {
      if (option.positional) continue;
      text += fmt::format("complete -c waitdiag -n '__fish_seen_subcommand_from {}'", command.name);
      for (const std::string& name : option.names)
        text += name.starts_with("--") ? " -l " + name.substr(2) : " -s " + name.substr(1);
      const std::vector<std::string> words = words_of(option.values);
      if (!option.values.empty()) text += wants_file(option) ? " -r" : " -x";
      if (!words.empty()) text += " -a " + shell_quoted(joined(words, " "));
      text += " -d " + shell_quoted(option.about) + "\n";
    }
  }
  return text;
}

}  // namespace waitdiag::tool

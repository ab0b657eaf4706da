// SPDX-License-Identifier: BSD-3-Clause
#include "tools/waitdiag/documentation/documentation.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <string_view>
#include <vector>

#include "analyzer/diagnosis/patterns/registry.hpp"
#include "analyzer/simulation/machine/machine.hpp"

namespace waitdiag::tool {
namespace {

constexpr const char* kHeader = "# Completion of waitdiag for {}; made from its command line.\n";

// What can stand for a value: words; files, with these extensions if there are any; recorded runs.
struct Values {
  std::vector<std::string> words{}, extensions{};
  bool files = false;
};

std::vector<std::string> machine_names() {
  std::vector<std::string> names = {"recorded"};
  for (const ReadyMachine& machine : ready_machines()) names.emplace_back(machine.name);
  return names;
}

std::vector<std::string> pattern_names() {
  std::vector<std::string> names;
  for (const WaitPattern* pattern : wait_patterns()) names.emplace_back(pattern->id);
  return names;
}

bool stands_for_itself(std::string_view word) {
  return !word.empty() && std::ranges::all_of(word, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-';
  });
}

// Of "auto|always", "MACHINE|FILE", "FILE.json|FILE.dot".
Values values_of(std::string_view kinds) {
  Values result;
  const auto add = [&](std::vector<std::string> words) {
    std::ranges::move(words, std::back_inserter(result.words));
  };
  while (!kinds.empty()) {
    const std::string_view word = kinds.substr(0, kinds.find('|'));
    kinds.remove_prefix(std::min(kinds.size(), word.size() + 1));
    const std::string_view kind = word.substr(0, word.find_first_of(". "));
    if (kind == "MACHINE") add(machine_names());
    if (kind == "PATTERN") add(pattern_names());
    if (kind == "FILE" || kind == "DIR" || kind == "PATH" || kind == "STORE") result.files = true;
    if (kind == "FILE" && word.size() > kind.size() + 1 && word[kind.size()] == '.')
      result.extensions.emplace_back(word.substr(kind.size() + 1));
    if (stands_for_itself(word)) result.words.emplace_back(word);
  }
  return result;
}

// What a command works on.
Values operands_of(const DescribedCommand& command) {
  Values result;
  for (const DescribedOption& option : command.options) {
    if (!option.positional) continue;
    const std::string& name = option.names.front();
    if (name == "ID") result.words = pattern_names();
    if (name == "ACTION") result.words = values_of(option.values).words;
    if (name == "DIR" || name == "RUN" || name == "SOURCE") result = {{}, {"otf2", "case", "trace"}, true};
    if (name == "RUN" || command.name == "check") result.extensions.emplace_back("json");
    if (name == "SOURCE") result.extensions.clear();  // loads are in files of any name
  }
  return result;
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

// The characters : [ ] have a meaning in the specifications of zsh's _arguments.
std::string zsh_text(const std::string& text) {
  std::string result;
  for (const char c : text) {
    if (c == ':' || c == '[' || c == ']' || c == '\\') result += '\\';
    result += c;
  }
  return result;
}

std::string zsh_values(const Values& values) {
  std::string files;
  for (const std::string& extension : values.extensions) files += (files.empty() ? "" : "|") + extension;
  if (!files.empty()) files = "_files -g \"*.(" + files + ")\"";
  if (values.files && files.empty()) files = "_files";
  if (values.words.empty()) return files;
  const std::string words = joined(values.words, " ");
  return files.empty() ? "(" + words + ")" : "{compadd " + words + "; " + files + "}";
}

std::string zsh_option(const DescribedOption& option, const std::string& name) {
  std::string text = name + (option.values.empty() ? "" : "=") + "[" + zsh_text(option.about) + "]";
  if (!option.values.empty())
    text += ":" + zsh_text(option.values) + ":" + zsh_values(values_of(option.values));
  return shell_quoted(text);
}

std::string bash_values(const Values& values) {
  std::string text = fmt::format("words=\"{}\"", joined(values.words, " "));
  if (values.files)
    text += fmt::format(" files=\"{}\"", values.extensions.empty() ? "*" : joined(values.extensions, " "));
  return text;
}

}  // namespace

std::string bash_completion(const DescribedCommand& program) {
  std::string values, options, names, operands;
  for (const DescribedCommand& command : program.commands) {
    names += (names.empty() ? "" : " ") + command.name;
    options += fmt::format("    {}) words=\"{}\" ;;\n", command.name, joined(option_names(command), " "));
    operands += fmt::format("    {}) {} ;;\n", command.name, bash_values(operands_of(command)));
    for (const DescribedOption& option : command.options) {
      if (option.positional || option.values.empty()) continue;
      for (const std::string& name : option.names)
        values +=
            fmt::format("    {}:{}) {} ;;\n", command.name, name, bash_values(values_of(option.values)));
    }
  }
  return fmt::format(kHeader, "bash") +
         R"(_waitdiag() {
  local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]} command="" words="" files="" i
  for ((i = 1; i < COMP_CWORD; ++i)); do
    [[ ${COMP_WORDS[i]} == -- ]] && return
    [[ -n $command || ${COMP_WORDS[i]} == -* ]] || command=${COMP_WORDS[i]}
  done
  if [[ $before == "=" ]]; then before=${COMP_WORDS[COMP_CWORD - 2]}; fi
  [[ $word != "=" ]] || { before=${COMP_WORDS[COMP_CWORD - 1]} word=""; }
  case $command:$before in
)" + values +
         R"(    :*) words=")" + names + " " + joined(option_names(program), " ") + R"(" ;;
    *) if [[ $word == -* ]]; then case $command in
)" + options +
         R"(    esac; else case $command in
)" + operands +
         R"(    esac; fi ;;
  esac
  mapfile -t COMPREPLY < <(
    compgen -W "$words" -- "$word"
    [[ -z $files ]] || compgen -d -- "$word"
    if [[ $files == "*" ]]; then compgen -f -- "$word"; else for i in $files; do compgen -f -X "!*.$i" -- "$word"; done; fi |
      while IFS= read -r i; do [[ -d $i ]] || printf '%s\n' "$i"; done)
  [[ -z $files ]] || compopt -o filenames 2> /dev/null
}
complete -F _waitdiag waitdiag
)";
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
    const std::string files = zsh_values(operands_of(command));
    cases += "        " + shell_quoted("*:argument:" + (files.empty() ? "_files" : files)) + " ;;\n";
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
    if (const Values operands = operands_of(command); !operands.words.empty())
      text += fmt::format("complete -c waitdiag -f -n '__fish_seen_subcommand_from {}' -a {}\n", command.name,
                          shell_quoted(joined(operands.words, " ")));
    for (const DescribedOption& option : command.options) {
      if (option.positional) continue;
      text += fmt::format("complete -c waitdiag -n '__fish_seen_subcommand_from {}'", command.name);
      for (const std::string& name : option.names)
        text += name.starts_with("--") ? " -l " + name.substr(2) : " -s " + name.substr(1);
      const Values values = values_of(option.values);
      if (!option.values.empty()) text += values.files ? " -r" : " -x";
      if (!values.words.empty()) text += " -a " + shell_quoted(joined(values.words, " "));
      text += " -d " + shell_quoted(option.about) + "\n";
    }
  }
  return text;
}

}  // namespace waitdiag::tool

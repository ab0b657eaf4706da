// Options whose value is one word of a table, or a number of a range.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <CLI/CLI.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "tools/waitdiag/command_line/errors.hpp"

namespace waitdiag::tool {

template <typename Value>
struct Choice {
  const char* word;
  Value value;
};

// Throws UsageError, with the words there are, for any other value.
template <typename Value>
CLI::Option* add_choice(CLI::App& command, const std::string& name, Value& value,
                        std::vector<Choice<Value>> choices, const std::string& help) {
  std::string words;
  for (const Choice<Value>& choice : choices) words += (words.empty() ? "" : "|") + std::string(choice.word);
  const auto assign = [&value, name, words, choices = std::move(choices)](const std::string& word) {
    for (const Choice<Value>& choice : choices)
      if (word == choice.word) {
        value = choice.value;
        return;
      }
    throw UsageError(name + " takes " + words + ", not '" + word + "'");
  };
  return command.add_option_function<std::string>(name, assign, help)->type_name(words);
}

// A check for numbers, whose message reads like the one above.
template <typename Number>
CLI::Validator number_between(Number least, Number most) {
  return CLI::Validator(
      [=](std::string& text) {
        Number value{};
        if (CLI::detail::lexical_cast(text, value) && value >= least && value <= most) return std::string();
        std::ostringstream complaint;
        complaint << "takes a number from " << least << " to " << most << ", not '" << text << "'";
        return complaint.str();
      },
      "");
}

// A check for directories to write: "-", standard output, is not a directory.
inline CLI::Validator directory_to_write() {
  return CLI::Validator(
      [](const std::string& text) {
        return text == "-"
                   ? std::string(
                         "takes the name of a directory, not '-': several files do not go to standard output")
                   : std::string();
      },
      "");
}

}  // namespace waitdiag::tool

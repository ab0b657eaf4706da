// A report printed: what `waitdiag report` and `waitdiag run` share.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include "analyzer/writers/text/text.hpp"
#include "tools/waitdiag/command_line/terminal.hpp"

namespace CLI {
class App;
}

namespace waitdiag::tool {

struct TextOutput {
  std::size_t top = TextOptions().top;
  ColorChoice color = ColorChoice::Auto;
  bool quiet = false;  // no text, no progress
};

void add_text_options(CLI::App& command, TextOutput& output);

// Prints to the standard stream `descriptor`; `source` is how the user would name the archive.
void print_text(const Report& report, const TextOutput& output, const std::string& source, int descriptor);

}  // namespace waitdiag::tool

// SPDX-License-Identifier: BSD-3-Clause
#include "tools/waitdiag/output/text_output.hpp"

#include <unistd.h>

#include <iostream>

#include "tools/waitdiag/command_line/choice.hpp"
#include "tools/waitdiag/command_line/common_options.hpp"

namespace waitdiag::tool {

void add_text_options(CLI::App& command, TextOutput& output) {
  command.add_option("--top", output.top, "Number of causes and hotspots to print [5]")
      ->check(number_between(1, 1000000))
      ->type_name("N");
  add_color_option(command, output.color);
  add_quiet_option(command, output.quiet);
}

void print_text(const Report& report, const TextOutput& output, const std::string& source, int descriptor) {
  std::ostream& out = descriptor == STDOUT_FILENO ? std::cout : std::cerr;
  write_text_report(
      report, {.style = text_style(descriptor, output.color), .top = output.top, .source = source}, out);
  out.flush();
}

}  // namespace waitdiag::tool

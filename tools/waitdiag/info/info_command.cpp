// waitdiag info: what is in an archive, in a few aligned lines.
//
// SPDX-License-Identifier: BSD-3-Clause
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <memory>

#include "tools/waitdiag/command_line/command.hpp"
#include "tools/waitdiag/command_line/terminal.hpp"
#include "tools/waitdiag/info/trace_text.hpp"
#include "tools/waitdiag/input/open_trace.hpp"

namespace waitdiag::tool {
namespace {

struct InfoCommand {
  TraceSource source;
  ColorChoice color = ColorChoice::Auto;
};

int show_info(const InfoCommand& command) {
  Progress progress(false);
  const Trace trace = open_trace(command.source, progress);
  progress.erase();
  print_info(trace, command.source.path, text_style(STDOUT_FILENO, command.color));
  return kSuccess;
}

}  // namespace

void add_info_command(CLI::App& app, Action& action) {
  const auto options = std::make_shared<InfoCommand>();
  CLI::App* command = app.add_subcommand("info", "Tell what is in an archive");
  command->footer("Example: waitdiag info waitprof-solver-64p-20261120-1432");
  add_trace_source(*command, options->source);
  add_color_option(*command, options->color);
  command->callback([options, &action] { action = [options] { return show_info(*options); }; });
}

}  // namespace waitdiag::tool

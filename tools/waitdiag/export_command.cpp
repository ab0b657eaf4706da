// waitdiag export: prints a trace in another notation.
//
// SPDX-License-Identifier: BSD-3-Clause
#include <CLI/CLI.hpp>
#include <iostream>
#include <memory>

#include "analyzer/read/read.hpp"
#include "tools/waitdiag/command.hpp"
#include "tools/waitdiag/open_trace.hpp"

namespace waitdiag::tool {

void add_export_command(CLI::App& app, Action& action) {
  const auto source = std::make_shared<TraceSource>();
  CLI::App* command = app.add_subcommand("export", "Print a trace in the text notation of test cases");
  command->footer("Example: waitdiag export waitprof-solver-4p-20261120-1432 --text > solver.trace");
  command
      ->add_option("DIR", source->path,
                   "Archive directory, its anchor file (*.otf2), or a *.case or *.trace text file")
      ->required()
      ->type_name("");
  command
      ->add_flag_callback(
          "--text", [] {}, "The text notation (the only one there is)")
      ->required();
  command->callback([source, &action] {
    action = [source] {
      Progress progress(false);
      const Trace trace = open_trace(*source, progress);
      progress.erase();
      write_text(trace, std::cout);
      return kSuccess;
    };
  });
}

}  // namespace waitdiag::tool

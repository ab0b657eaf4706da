// From a trace to a printed report.
//
// SPDX-License-Identifier: BSD-3-Clause
#include "tools/waitdiag/command_line/text_output.hpp"
#include "tools/waitdiag/command_line/common_options.hpp"

#include <unistd.h>

#include <fstream>
#include <iostream>
#include <stdexcept>

#include "analyzer/summary/make_report.hpp"
#include "tools/waitdiag/command_line/choice.hpp"
#include "tools/waitdiag/command_line/errors.hpp"

namespace waitdiag::tool {

void add_text_options(CLI::App& command, TextOutput& output) {
  command.add_option("--top", output.top, "Number of causes and hotspots to print [5]")
      ->check(number_between(1, 1000000))
      ->type_name("N");
  add_color_option(command, output.color);
  add_quiet_option(command, output.quiet);
}

bool takes_stdout(const std::vector<OutputFile>& files) {
  const OutputFile* taker = nullptr;
  for (const OutputFile& output : files) {
    if (output.file != "-") continue;
    if (taker != nullptr)
      throw UsageError(std::string(taker->option) + " and " + output.option +
                       " cannot both be written to stdout: name a file for one");
    taker = &output;
  }
  return taker != nullptr;
}

void write_output_file(const std::string& path, const std::function<void(std::ostream&)>& write) {
  if (path == "-") return write(std::cout);
  write_file(path, write, ", or write - for standard output");
}

void write_file(const std::string& path, const std::function<void(std::ostream&)>& write,
                const std::string& advice) {
  std::ofstream file(path, std::ios::binary);
  write(file);
  if (!file.flush())
    throw std::runtime_error("cannot write " + path +
                             ": check that its directory exists, is writable and has space left" + advice);
}

Report report_on(const TraceSource& source, const DiagnosisOptions& options, bool quiet) {
  Progress progress(quiet);
  const Trace trace = open_trace(source, progress);
  Stages stages = progress.stages();
  return make_report(trace, options, stages);
}

void print_text(const Report& report, const TextOutput& output, const std::string& source, int descriptor) {
  std::ostream& out = descriptor == STDOUT_FILENO ? std::cout : std::cerr;
  write_text_report(
      report, {.style = text_style(descriptor, output.color), .top = output.top, .source = source}, out);
  out.flush();
}

}  // namespace waitdiag::tool

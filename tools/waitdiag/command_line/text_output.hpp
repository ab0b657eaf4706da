// From a trace to a printed report: what `waitdiag report` and `waitdiag run` share.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>
#include <iosfwd>
#include <string>
#include <string_view>
#include <vector>

#include "analyzer/diagnosis_options.hpp"
#include "analyzer/writers/text/text.hpp"
#include "tools/waitdiag/command_line/open_trace.hpp"
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

// A file that an option names.
struct OutputFile {
  const char* option;
  std::string_view file;
};

// Whether one of them is "-", standard output, which then holds nothing else. Throws UsageError if two are
// "-".
bool takes_stdout(const std::vector<OutputFile>& files);

// Throws std::runtime_error when the file cannot be written; its text ends with the advice.
void write_file(const std::string& path, const std::function<void(std::ostream&)>& write,
                const std::string& advice = "");
// The same, but "-" is standard output.
void write_output_file(const std::string& path, const std::function<void(std::ostream&)>& write);

// Reads and diagnoses, with progress on stderr unless quiet. Throws TraceError.
Report report_on(const TraceSource& source, const DiagnosisOptions& options, bool quiet);

// Prints to the standard stream `descriptor`; `source` is how the user would name the archive.
void print_text(const Report& report, const TextOutput& output, const std::string& source, int descriptor);

}  // namespace waitdiag::tool

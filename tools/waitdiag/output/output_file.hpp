// Files that options name, "-" among them: standard output.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>
#include <iosfwd>
#include <string>
#include <string_view>
#include <vector>

namespace waitdiag::tool {

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

}  // namespace waitdiag::tool

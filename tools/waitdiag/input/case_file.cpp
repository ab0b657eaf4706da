// The sections of a .case file. Lines of other sections are kept as empty lines in front of a section's text,
// so that line numbers in error messages are those of the file.
//
// SPDX-License-Identifier: BSD-3-Clause
#include "tools/waitdiag/input/case_file.hpp"

#include <algorithm>

namespace waitdiag::tool {

std::map<std::string, std::string> case_sections(std::string_view text) {
  constexpr std::string_view kMark = "== ";
  std::map<std::string, std::string> sections;
  std::string* section = &sections[""];
  for (std::size_t line_number = 0; !text.empty(); ++line_number) {
    const std::size_t length = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, length);
    text.remove_prefix(std::min(length + 1, text.size()));
    if (line.substr(0, kMark.size()) == kMark) {
      const std::string_view name = line.substr(kMark.size());
      section = &sections[std::string(name.substr(0, name.find_last_not_of(" \t\r") + 1))];
      if (section->empty()) section->assign(line_number + 1, '\n');
      continue;
    }
    *section += line;
    *section += '\n';
  }
  return sections;
}

}  // namespace waitdiag::tool

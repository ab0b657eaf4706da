// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/writers/markdown/markdown.hpp"

namespace waitdiag {

std::string markdown_text(const std::string& text) {
  std::string result;
  for (const char c : text) {
    if (c == '<') {
      result += "&lt;";
      continue;
    }
    if (std::string("\\|*_`[]&").find(c) != std::string::npos) result += '\\';
    result += c == '\n' ? ' ' : c;
  }
  return result;
}

}  // namespace waitdiag

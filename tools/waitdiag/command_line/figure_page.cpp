// SPDX-License-Identifier: BSD-3-Clause
#include "tools/waitdiag/command_line/figure_page.hpp"

#include <sstream>
#include <stdexcept>

#include "analyzer/writers/page/columns.hpp"
#include "analyzer/writers/page/write_page.hpp"
#include "tools/waitdiag/command_line/text_output.hpp"

namespace waitdiag::tool {

std::string text_of(const std::function<void(std::ostream&)>& write) {
  std::ostringstream text;
  write(text);
  return text.str();
}

void need_pages(const std::string& file) {
  if (file.empty()) return;
  if (const std::string reason = why_no_page(); !reason.empty()) throw std::runtime_error(reason);
}

void write_figure_page(const std::string& file, const FigurePage& page) {
  if (file.empty()) return;
  Columns columns;
  columns.add("kind", page.kind);
  for (const auto& [name, bytes] : page.parts) columns.add(name, bytes);
  const PageContent content{page.title, text_of(page.text), columns.packed()};
  write_output_file(file, [&content](std::ostream& out) { write_page(content, out); });
}

}  // namespace waitdiag::tool

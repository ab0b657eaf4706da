// SPDX-License-Identifier: BSD-3-Clause
#include "tools/waitdiag/output/figure_page.hpp"

#include <sstream>
#include <stdexcept>

#include "analyzer/writers/page/columns.hpp"
#include "analyzer/writers/page/page_data.hpp"
#include "analyzer/writers/page/shown_names.hpp"
#include "analyzer/writers/page/write_page.hpp"
#include "tools/waitdiag/command_line/progress.hpp"
#include "tools/waitdiag/output/output_file.hpp"

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

DrawnRun drawn(const Trace& run, DiagnosedRun found) {
  constexpr std::uint64_t kMostOperations = 2'000'000;  // there are two of them
  DrawnRun drawn;
  drawn.data = page_data(run, found.diagnosis, found.report, {.most_operations = kMostOperations});
  drawn.report = std::move(found.report);
  return drawn;
}

DrawnRun draw_run(const Trace& run, const DiagnosisOptions& options, Progress& progress) {
  DiagnosisOptions for_page = options;
  for_page.messages = for_page.culprits = true;
  Stages stages = progress.stages();
  return drawn(run, diagnosed(run, for_page, stages));
}

void write_figure_page(const std::string& file, const FigurePage& page) {
  if (file.empty()) return;
  Columns columns;
  columns.add("kind", page.kind);
  for (const auto& [name, bytes] : page.parts)
    columns.add(name, bytes.starts_with('{') ? with_shown_names(bytes) : bytes);
  const PageContent content{page.title, text_of(page.text), columns.packed()};
  write_output_file(file, [&content](std::ostream& out) { write_page(content, out); });
}

}  // namespace waitdiag::tool

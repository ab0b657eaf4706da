// SPDX-License-Identifier: BSD-3-Clause
#include "tools/waitdiag/command_line/figure_page.hpp"

#include <sstream>
#include <stdexcept>

#include "analyzer/summary/make_report.hpp"
#include "analyzer/writers/page/columns.hpp"
#include "analyzer/writers/page/page_data.hpp"
#include "analyzer/writers/page/shown_names.hpp"
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

DrawnRun draw_run(const Trace& run, const DiagnosisOptions& options, Progress& progress) {
  constexpr std::uint64_t kMostOperations = 2'000'000;  // there are two of them
  DiagnosisOptions for_page = options;
  for_page.messages = for_page.culprits = true;
  DrawnRun drawn;
  Stages stages([&progress](std::string_view step, double fraction) { progress.show(step, fraction); });
  const Diagnosis diagnosis = diagnose(run, for_page, stages);
  drawn.report = summarise(run, diagnosis);
  drawn.data = page_data(run, diagnosis, drawn.report, {.most_operations = kMostOperations});
  return drawn;
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

// The pages of `predict`, `compare`, `scale`, `grid` and `balance`: figures as JSON, drawn by the script that also draws
// the report (share/web).
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>
#include <iosfwd>
#include <string>
#include <utility>
#include <vector>

#include "analyzer/diagnosis_options.hpp"
#include "analyzer/results/report.hpp"
#include "analyzer/summary/make_report.hpp"
#include "analyzer/trace/model/trace.hpp"
#include "tools/waitdiag/command_line/progress.hpp"

namespace waitdiag::tool {

// A run as a page's timeline has it, and its diagnosis.
struct DrawnRun {
  std::string data{};  // of page_data()
  Report report{};
};
DrawnRun draw_run(const Trace& run, const DiagnosisOptions& options, Progress& progress);
DrawnRun drawn(const Trace& run, DiagnosedRun found);  // the diagnosis has messages and culprits

struct FigurePage {
  std::string kind{};  // its name in share/web/main.ts, also the name of the first part
  std::string title{};
  std::vector<std::pair<std::string, std::string>> parts{};  // name, JSON or what page_data() gave
  std::function<void(std::ostream&)> text{};                 // for readers without scripts
};

// The text that `write` prints.
std::string text_of(const std::function<void(std::ostream&)>& write);

// Throws std::runtime_error if this waitdiag cannot write pages. Called before the work, not after it.
void need_pages(const std::string& file);

// Does nothing if `file` is empty. Throws std::runtime_error.
void write_figure_page(const std::string& file, const FigurePage& page);

}  // namespace waitdiag::tool

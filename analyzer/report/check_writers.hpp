// The writers of a check: for people, for CI servers, for databases.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <iosfwd>

#include "analyzer/report/check_result.hpp"
#include "analyzer/report/layout.hpp"

namespace waitdiag {

void write_check_text(const CheckResult& result, const TextStyle& style, std::ostream& out);

// Lines "WAITDIAG name value unit" for scripts that look with a regular expression; the names never change.
void write_check_lines(const CheckResult& result, std::ostream& out);

// Schema waitdiag.check/1 (share/schema).
void write_check_json(const CheckResult& result, std::ostream& out);

// JUnit XML: one test case per figure, one for the structure. All that matters is in names and bodies, for
// GitLab shows nothing else; INCONCLUSIVE is skipped, a program that failed an error.
void write_check_junit(const CheckResult& result, std::ostream& out);

// For the summary page of a CI job; at most 60 kB, what does not fit is counted.
void write_check_markdown(const CheckResult& result, std::ostream& out);

// OpenMetrics text with the end mark; values have three significant digits, so that a server which compares
// them as texts sees no change where there is none.
void write_check_openmetrics(const CheckResult& result, std::ostream& out);

// The medians of all nights of this kind: time, commit, case, runs, verdict and one column per figure.
void write_check_csv(const CheckResult& result, std::ostream& out);

// One self-contained HTML page: every figure over the nights, with the change points.
void write_check_page(const CheckResult& result, std::ostream& out);

}  // namespace waitdiag

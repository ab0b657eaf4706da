// Results for merge requests and the summary pages of CI jobs.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <iosfwd>
#include <string>

#include "analyzer/results/check_result.hpp"
#include "analyzer/results/comparison.hpp"

namespace waitdiag {

void write_comparison_markdown(const Comparison& comparison, std::size_t top, std::ostream& out);
void write_check_markdown(const CheckResult& result,
                          std::ostream& out);  // at most 60 kB; the rest is counted

// Escapes text so that it is not taken for Markdown, or for HTML in it.
std::string markdown_text(const std::string& text);

}  // namespace waitdiag

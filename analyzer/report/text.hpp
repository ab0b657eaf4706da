// The report for a person at a terminal: the verdict first, then where ranks wait, who caused it, where the
// time goes.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <iosfwd>
#include <string>

#include "analyzer/report/layout.hpp"
#include "analyzer/report/report.hpp"

namespace waitdiag {

struct TextOptions {
  TextStyle style;
  std::size_t top = 5;  // causes and hotspots shown
  std::string source;   // the archive as the user named it, for the commands to type next
};

void write_text_report(const Report& report, const TextOptions& options, std::ostream& out);

}  // namespace waitdiag

// The HTML report: its options, and writing it while a trace is diagnosed.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "analyzer/diagnosis/repairs/curve_points.hpp"
#include "analyzer/writers/page/selection.hpp"
#include "tools/waitdiag/input/read_report.hpp"

namespace waitdiag::tool {

struct PageOutput {
  std::string file;           // empty: no page is wanted
  std::string window, ranks;  // "from:to" in seconds, "first-last"; empty: all
  std::optional<std::uint64_t> most_calls{};
  bool no_source = false;
  std::string editor_link{};  // empty: that of PageLimits
  CurvePoints what_ifs = CurvePoints::Small;
};

// The limits of --window and --only-ranks. Throws UsageError.
PageLimits selection_limits(const std::string& window, const std::string& ranks);

// Throws UsageError.
PageLimits page_limits(const PageOutput& output);

// Like report_on(); also writes the page if one is wanted; `source_name` is how the user would name the
// archive. Throws UsageError and std::runtime_error when the page cannot be written.
Report report_with_page(const TraceSource& source, const std::string& source_name, DiagnosisOptions options,
                        bool quiet, const PageOutput& output);

}  // namespace waitdiag::tool

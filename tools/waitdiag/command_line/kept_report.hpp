// A run with which others are compared: an archive, or a report that was kept as JSON.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include "analyzer/results/report.hpp"

namespace waitdiag::tool {

// A file called *.json.
bool is_kept_report(const std::string& source);

// Files called *.json are reports kept by `waitdiag report --json`; everything else is diagnosed, with
// progress on stderr unless quiet. Throws std::runtime_error and TraceError.
Report report_of_run(const std::string& source, bool quiet);

}  // namespace waitdiag::tool

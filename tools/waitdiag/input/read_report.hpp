// From a name to a report: an archive that is read and diagnosed, or a report that was kept as JSON.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include "analyzer/diagnosis_options.hpp"
#include "analyzer/results/report.hpp"
#include "tools/waitdiag/input/open_trace.hpp"

namespace waitdiag::tool {

// Reads and diagnoses, with progress on stderr unless quiet. Throws TraceError.
Report report_on(const TraceSource& source, const DiagnosisOptions& options, bool quiet);

// A file called *.json.
bool is_kept_report(const std::string& source);

// Files called *.json are reports kept by `waitdiag report --json`; everything else is diagnosed, with
// progress on stderr unless quiet. Throws std::runtime_error and TraceError.
Report report_of_run(const std::string& source, bool quiet);

}  // namespace waitdiag::tool

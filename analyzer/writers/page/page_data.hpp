// Everything the page shows that the report does not contain: single calls, waits, messages, collective
// operations, the critical path, the time steps and the call tree, as one block of columns (columns.hpp).
// Times are whole numbers of `unit_ns` since the begin of the window that is shown; README.md lists the
// columns.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include "analyzer/diagnose.hpp"
#include "analyzer/results/report.hpp"
#include "analyzer/writers/page/selection.hpp"

namespace waitdiag {

// The diagnosis must hold the culprits of the waits (DiagnosisOptions). Throws TraceError if the
// limits leave nothing to show.
std::string page_data(const Trace& trace, const Diagnosis& diagnosis, const Report& report,
                      const PageLimits& limits);

}  // namespace waitdiag

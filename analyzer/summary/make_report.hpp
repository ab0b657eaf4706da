// A diagnosis becomes the plain data of report.hpp: ids become names, nanoseconds become seconds.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "analyzer/diagnose.hpp"
#include "analyzer/results/report.hpp"

namespace waitdiag {

// `found`: the diagnosis of this trace.
Report summarise(const Trace& trace, const Diagnosis& found);

// Both in one: diagnose() and summarise(). The diagnosis refers to the trace. Throw as diagnose() does.
struct DiagnosedRun {
  Diagnosis diagnosis;
  Report report{};
};
DiagnosedRun diagnosed(const Trace& trace, const DiagnosisOptions& options, Stages& stages);
Report make_report(const Trace& trace, const DiagnosisOptions& options, Stages& stages);

}  // namespace waitdiag

// The diagnosis, with a look at what its stages found before it is forgotten: for output that shows single
// calls and waits, which the report has only sums of.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>

#include "analyzer/diagnose.hpp"
#include "analyzer/summary/make_report.hpp"

namespace waitdiag {

// The trace is the one that was diagnosed: with corrected clocks, if that was asked for.
using LookAtResults = std::function<void(const Trace& trace, const Results& results, const Report& report)>;

// As diagnose() of diagnose.hpp, but calls `look` at the end, if there is one. Then the culprit of every wait
// is in results.costs as well.
Report diagnose(const Trace& trace, const DiagnosisOptions& options, Stages& stages,
                const LookAtResults& look);
Report diagnose(Trace&& trace, const DiagnosisOptions& options, Stages& stages, const LookAtResults& look);

}  // namespace waitdiag

// The critical path as rows of a report.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "analyzer/summary/make_report.hpp"

namespace waitdiag {

Report::CriticalPath critical_path_rows(const Trace& trace, const Diagnosis& found);

}  // namespace waitdiag

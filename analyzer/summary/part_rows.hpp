// The rows of a report about parts of the run: efficiency of each, and where its processor time went.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "analyzer/diagnose.hpp"
#include "analyzer/results/report.hpp"

namespace waitdiag {

Report::Efficiency efficiency_row(const EfficiencyTree& tree, const char* method);
void add_efficiency_by_part(const Trace& trace, const Diagnosis& found, Report& report);
void add_characteristics(const Trace& trace, const Diagnosis& found, Report& report);

}  // namespace waitdiag

// The machine-readable report: JSON of the schema waitdiag.report/1
// (share/schema/waitdiag.report-1.schema.json). Times are seconds, shares 0..1, an undefined figure is null.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <iosfwd>

#include "analyzer/report/report.hpp"

namespace waitdiag {

void write_json(const Report& report, std::ostream& out);

}  // namespace waitdiag

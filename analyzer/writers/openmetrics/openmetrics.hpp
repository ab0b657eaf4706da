// A check for monitoring systems.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <iosfwd>

#include "analyzer/results/check_result.hpp"

namespace waitdiag {

// OpenMetrics text with the end mark; values have three significant digits, so that a server which compares
// them as text sees no change where there is none.
void write_check_openmetrics(const CheckResult& result, std::ostream& out);

}  // namespace waitdiag

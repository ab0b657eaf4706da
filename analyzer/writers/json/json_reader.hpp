// Reports that were kept as JSON, read again.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include "analyzer/results/report.hpp"

namespace waitdiag {

// The parts of a report by which runs are compared: run, time, efficiency, waits, causes, hotspots, calls by
// call path, nodes, data quality, how and when it ended early; keys that are not known are skipped. Throws
// std::runtime_error that says what is wrong with `text` and where: no JSON, another schema than
// waitdiag.report/1, a part that is missing or of the wrong type.
Report read_report_json(const std::string& text);

}  // namespace waitdiag

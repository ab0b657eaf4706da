// What stands behind the waits, in the JSON report.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <nlohmann/json.hpp>

#include "analyzer/report/report.hpp"

namespace waitdiag {

nlohmann::ordered_json clock_violation_list(const Report& report);

}  // namespace waitdiag

// What stands behind the waits, in the JSON report.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <nlohmann/json.hpp>

#include "analyzer/results/report.hpp"

namespace waitdiag {

nlohmann::ordered_json candidate_list(const Report::Wait& wait);
nlohmann::ordered_json clock_violation_list(const Report& report);
// Puts the limit behind the other facts of the run, where one was used.
void add_eager_threshold(const Report::Run& run, nlohmann::ordered_json& facts);

}  // namespace waitdiag

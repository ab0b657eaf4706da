// A cause of waiting as JSON.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <nlohmann/json.hpp>

#include "analyzer/results/report.hpp"

namespace waitdiag {

nlohmann::ordered_json cause_entry(const Report::Cause& cause);

}  // namespace waitdiag

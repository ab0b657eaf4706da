// Calls by call path as a JSON object, in the report and in the store of checks.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <nlohmann/json.hpp>
#include <vector>

#include "analyzer/results/report.hpp"

namespace waitdiag {

// An ordered object looks through all its names for each one that is added. These are different anyhow, and
// there may be a hundred thousand of them.
inline nlohmann::ordered_json call_sites_json(const std::vector<Report::CallSite>& sites) {
  nlohmann::ordered_json::object_t object;
  object.reserve(sites.size());
  for (const Report::CallSite& site : sites) object.emplace_back(site.call_path, site.calls);
  return object;
}

}  // namespace waitdiag

// Wait patterns that a user named.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "analyzer/diagnosis/patterns/registry.hpp"
#include "analyzer/simulation/recorded_machine/scenario_request.hpp"

namespace waitdiag::tool {

// Throws UsageError that suggests the name that was probably meant.
const WaitPattern& find_pattern(const std::string& id);

// Waits that are to be removed from a run: "all", or ids of whole waits. Throws UsageError.
std::vector<RemovedWaits> removed_waits(const std::vector<std::string>& ids);

}  // namespace waitdiag::tool

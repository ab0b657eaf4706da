// Nodes on which more threads wanted to run than there are processors.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "analyzer/diagnosis/resources/resource_use.hpp"
#include "analyzer/trace/model/anomalies.hpp"

namespace waitdiag {

// Adds "crowded_nodes": how many there are, and the worst of them. Threads that take turns look as if they
// computed longer, and those that wait for them look as if they waited for that.
void add_crowded_nodes(const std::vector<ResourceUse::OfNode>& nodes, Anomalies& anomalies);

}  // namespace waitdiag

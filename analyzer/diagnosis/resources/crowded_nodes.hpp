// Nodes on which more threads wanted to run than there are processors, or than their host left them.
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

// Less of the time for which threads wanted processors of a virtual machine is not worth telling.
inline constexpr double kStolenMatters = 0.01;
// Adds "stolen_processors": on how many nodes the host of a virtual machine took processors away, and the worst of them.
// No thread of that machine is told when, so its code seems to be slower.
void add_stolen_processors(const std::vector<ResourceUse::OfNode>& nodes, Anomalies& anomalies);

}  // namespace waitdiag

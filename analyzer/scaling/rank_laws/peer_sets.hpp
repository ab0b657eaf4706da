// The ranks with which a rank communicates in one call: the neighbours in a topology, the other side of an
// epoch.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "analyzer/scaling/rank_laws/peer_law.hpp"

namespace waitdiag {

// World ranks, in any order, or kNoCall alone; by instance of the call and by rank.
using RankGroups = std::vector<std::vector<std::vector<int>>>;

// Each member of each group is given by one of the laws, and vice versa. Throws TraceError if there
// are no such laws; `what` names the call.
std::vector<PeerLaw> find_peer_set(const Study& study, const Instances& instances, const RankGroups& groups,
                                   const std::string& what);

}  // namespace waitdiag

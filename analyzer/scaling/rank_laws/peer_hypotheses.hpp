// Laws of peers that are possible, judging by one rank and its peer: which of them hold is seen later.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "analyzer/scaling/rank_laws/peer_law.hpp"

namespace waitdiag {

struct PeerPair {
  std::size_t instance = 0;
  int rank = -1, peer = -1;
};

// The first rank that has a peer, in the largest run that has any, where the progress begins.
PeerPair first_pair(const Instances& instances, const RankPeers& peers, Progress progress);

// From the first rank of the largest run that has a peer; simple laws first.
std::vector<PeerLaw> peer_hypotheses(const Study& study, const Instances& instances, const RankPeers& peers,
                                     Progress progress);

}  // namespace waitdiag

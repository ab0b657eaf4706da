// What neighbourhood collectives send, and to which ranks.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "analyzer/scaling/quantity_laws/size_law.hpp"
#include "analyzer/scaling/rank_laws/peer_law.hpp"

namespace waitdiag {

// Bytes to world ranks, by instance of the call and by rank.
using RankBlocks = std::vector<std::vector<std::map<int, double>>>;

struct NeighbourLaw {
  PeerLaw peer{};
  std::shared_ptr<const SizeLaw> bytes{};
};

using FindNeighbourSizes =
    std::function<std::shared_ptr<const SizeLaw>(const PeerLaw& peer, const RecordedSizes& sizes)>;

// Throws TraceError for neighbours without a law.
std::vector<NeighbourLaw> find_neighbours(const Study& study, const Instances& instances,
                                          const RankBlocks& blocks, const FindNeighbourSizes& sizes,
                                          const std::string& what);

}  // namespace waitdiag

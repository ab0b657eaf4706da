// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/scaling/program_laws/neighbour_laws.hpp"

#include "analyzer/scaling/rank_laws/peer_sets.hpp"

namespace waitdiag {

std::vector<NeighbourLaw> find_neighbours(const Study& study, const Instances& instances,
                                          const RankBlocks& blocks, const FindNeighbourSizes& sizes,
                                          const std::string& what) {
  RankGroups groups = by_rank(study, instances, std::vector<int>());
  for (std::size_t i = 0; i < blocks.size(); ++i)
    for (std::size_t rank = 0; rank < blocks[i].size(); ++rank)
      for (const auto& [peer, bytes] : blocks[i][rank]) groups[i][rank].push_back(peer);
  const std::vector<PeerLaw> laws = find_peer_set(study, instances, groups, what);
  const auto peer_of = [&](const PeerLaw& law, std::size_t i, std::size_t rank) {
    return recorded_peer(study, law, instances[i], static_cast<int>(rank));
  };
  std::vector<NeighbourLaw> neighbours;
  for (const PeerLaw& law : laws) {
    RecordedSizes recorded{instances, by_rank(study, instances, kAbsent), rank_0_apart(study, instances)};
    for (std::size_t i = 0; i < blocks.size(); ++i)
      for (std::size_t rank = 0; rank < blocks[i].size(); ++rank) {
        const std::optional<int> peer = peer_of(law, i, rank);
        if (!peer) continue;
        // In a periodic dimension of two ranks, both neighbours are the same rank, which gets the bytes of
        // both.
        double ways = 0;
        for (const PeerLaw& other : laws) ways += peer_of(other, i, rank) == peer ? 1 : 0;
        recorded.bytes[i][rank] = blocks[i][rank].at(*peer) / ways;
      }
    neighbours.push_back({law, sizes(law, recorded)});
  }
  return neighbours;
}

}  // namespace waitdiag

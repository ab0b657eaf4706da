// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/scaling/rescaling/peer_sets.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "analyzer/trace/model/trace_error.hpp"

namespace waitdiag {
namespace {

bool contains(const std::vector<int>& group, int member) {
  return std::ranges::find(group, member) != group.end();
}

class PeerSetSearch {
 public:
  PeerSetSearch(const Study& study, const Instances& instances, const RankGroups& groups)
      : study_(study), instances_(instances), groups_(groups) {}

  // False: a member is left that no law reaches.
  bool run() {
    for (std::size_t i = groups_.size(); i-- > 0;)
      for (std::size_t rank = 0; rank < groups_[i].size(); ++rank)
        for (const int member : groups_[i][rank])
          if (!reached(i, rank, member) && !add_law(i, rank, member)) return false;
    return true;
  }
  std::vector<PeerLaw> take() { return std::move(laws_); }

 private:
  std::optional<int> peer(const PeerLaw& law, std::size_t instance, std::size_t rank) const {
    return recorded_peer(study_, law, instances_[instance], static_cast<int>(rank));
  }
  bool reached(std::size_t instance, std::size_t rank, int member) const {
    return std::ranges::any_of(laws_,
                               [&](const PeerLaw& law) { return peer(law, instance, rank) == member; });
  }
  bool add_law(std::size_t instance, std::size_t rank, int member) {
    RankPeers one = by_rank(study_, instances_, -1);
    one[instance][rank] = member;
    // The first kind of law that holds; in another grid it may hold for fewer ranks, by chance.
    std::optional<PeerLaw> best;
    std::size_t most = 0;
    for (const PeerLaw& law : peer_hypotheses(study_, instances_, one, Progress::Same)) {
      if (peer(law, instance, rank) != member || (best && law.kind != best->kind)) continue;
      const std::optional<std::size_t> members = members_of(law);
      if (!members || *members <= most) continue;
      best = law;
      most = *members;
    }
    if (best) laws_.push_back(*best);
    return best.has_value();
  }
  // How many members of groups it gives; nothing: it gives others, too.
  std::optional<std::size_t> members_of(const PeerLaw& law) const {
    std::size_t members = 0;
    for (std::size_t i = 0; i < groups_.size(); ++i)
      for (std::size_t rank = 0; rank < groups_[i].size(); ++rank) {
        const std::optional<int> other = peer(law, i, rank);
        if (other && !contains(groups_[i][rank], *other)) return std::nullopt;
        members += other ? 1 : 0;
      }
    return members;
  }

  const Study& study_;
  const Instances& instances_;
  const RankGroups& groups_;
  std::vector<PeerLaw> laws_;
};

}  // namespace

std::vector<PeerLaw> find_peer_set(const Study& study, const Instances& instances, const RankGroups& groups,
                                   const std::string& what) {
  PeerSetSearch search(study, instances, groups);
  if (search.run()) return search.take();
  throw TraceError(fmt::format(
      "cannot tell with whom {} is with {} ranks: no rules give all ranks of it in all runs (neighbours "
      "in a grid of 1 to 3 dimensions, rank xor a number, fixed ranks, transposition); topologies made "
      "by MPI_Cart_create are understood best",
      what, study.target.ranks));
}

}  // namespace waitdiag

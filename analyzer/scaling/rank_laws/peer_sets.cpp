// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/scaling/rank_laws/peer_sets.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "analyzer/scaling/rank_laws/peer_hypotheses.hpp"
#include "analyzer/trace/model/trace_error.hpp"

namespace waitdiag {
namespace {

bool contains(const std::vector<int>& group, int member) {
  return std::ranges::find(group, member) != group.end();
}

class PeerSetSearch {
 public:
  // `of_callers`: regardless of what laws say about ranks that do not make the call.
  PeerSetSearch(const Study& study, const Instances& instances, const RankGroups& groups, bool of_callers)
      : study_(study), instances_(instances), groups_(groups), of_callers_(of_callers) {}

  // False: a member is left that no law reaches. Partners that are ever farther, or nearer, from turn to turn are seen
  // where they are the nearest: in the first turn, or in the last one.
  bool run(bool first_turn_first) {
    const std::array<bool, 2> order = {first_turn_first, !first_turn_first};
    for (const bool first_turn : order)
      for (std::size_t i = groups_.size(); i-- > 0;) {
        const Turn& turn = instances_[i].turn;
        if (turn.of > 1 && turn.number == (first_turn ? 0 : turn.of - 1)) add_laws(i);
      }
    for (std::size_t i = groups_.size(); i-- > 0;)
      if (!add_laws(i)) return false;
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
  // For members that no law reaches; false: there is one for which no law holds.
  bool add_laws(std::size_t instance) {
    bool all = true;
    for (std::size_t rank = 0; rank < groups_[instance].size() && all; ++rank)
      for (const int member : groups_[instance][rank])
        all =
            all && (member == kNoCall || reached(instance, rank, member) || add_law(instance, rank, member));
    return all;
  }
  struct Candidate {
    PeerLaw law{};
    std::size_t members = 0;
  };
  // Of the ways in which partners may change from turn to turn, the one that gives most members.
  bool add_law(std::size_t instance, std::size_t rank, int member) {
    std::optional<Candidate> best;
    for (const Progress progress : kProgresses) {
      if (progress != Progress::Same && !in_a_loop(instances_)) break;
      const std::optional<Candidate> one = best_law(instance, rank, member, progress);
      if (one && (!best || one->members > best->members)) best = one;
    }
    if (best) laws_.push_back(best->law);
    return best.has_value();
  }
  std::optional<Candidate> best_law(std::size_t instance, std::size_t rank, int member,
                                    Progress progress) const {
    RankPeers one = by_rank(study_, instances_, -1);
    one[instance][rank] = member;
    // The first kind of law that holds; in another grid it may hold for fewer ranks, by chance.
    std::optional<Candidate> best;
    for (const PeerLaw& law : peer_hypotheses(study_, instances_, one, progress)) {
      if (peer(law, instance, rank) != member || (best && law.kind != best->law.kind)) continue;
      const std::optional<std::size_t> members = members_of(law);
      if (members && *members > (best ? best->members : 0)) best = Candidate{law, *members};
    }
    return best;
  }
  // How many members of groups it gives; nothing: it gives others, too.
  std::optional<std::size_t> members_of(const PeerLaw& law) const {
    std::size_t members = 0;
    for (std::size_t i = 0; i < groups_.size(); ++i)
      for (std::size_t rank = 0; rank < groups_[i].size(); ++rank) {
        if (of_callers_ && contains(groups_[i][rank], kNoCall)) continue;
        const std::optional<int> other = peer(law, i, rank);
        if (other && !contains(groups_[i][rank], *other)) return std::nullopt;
        members += other ? 1 : 0;
      }
    return members;
  }

  const Study& study_;
  const Instances& instances_;
  const RankGroups& groups_;
  bool of_callers_;
  std::vector<PeerLaw> laws_;
};

}  // namespace

std::vector<PeerLaw> find_peer_set(const Study& study, const Instances& instances, const RankGroups& groups,
                                   const std::string& what) {
  // Laws that also say which ranks do not make the call are better, and few laws are.
  for (const bool of_callers : {false, true}) {
    std::optional<std::vector<PeerLaw>> fewest;
    for (const bool first_turn_first : {true, false}) {
      if (!first_turn_first && !in_a_loop(instances)) break;
      PeerSetSearch search(study, instances, groups, of_callers);
      if (!search.run(first_turn_first)) continue;
      std::vector<PeerLaw> laws = search.take();
      if (!fewest || laws.size() < fewest->size()) fewest = std::move(laws);
    }
    if (fewest) return std::move(*fewest);
  }
  throw TraceError(fmt::format(
      "cannot tell with whom {} is with {} ranks: no rules give all ranks of it in all runs (neighbours "
      "in a grid of 1 to 3 dimensions, rank xor a number, fixed ranks, transposition); topologies made "
      "by MPI_Cart_create are understood best",
      what, study.target.ranks));
}

}  // namespace waitdiag

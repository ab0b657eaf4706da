// Which rank a message goes to, or comes from: hypotheses that hold for every rank of every run.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "analyzer/scaling/quantity_laws/study.hpp"
#include "analyzer/scaling/rank_laws/affine_map.hpp"
#include "analyzer/scaling/rank_laws/rank_subsets.hpp"

namespace waitdiag {

// The peer (world rank) of each rank, by instance of the call; -1 where there is none, kNoCall where the rank
// does not make the call.
inline constexpr int kNoCall = -2;
using RankPeers = std::vector<std::vector<int>>;

struct PeerLaw {
  // Swapped: ranks are numbered (i, j, k), i and j up to the same number, k below 2 (NPB's CG); the other is
  // (j, i, k).
  // EachOther: one after the other of all other ranks.
  // Across: by 1/`number` of the extent along dimension `offset`, around. Mirrored: as far from the other end.
  // LowestDigit, HighestDigit: the rank above in a binomial tree, whose number lacks that bit, or that digit if written to
  // the base `number`; in a tree of `number` branches Above, and Below the `offset`-th branch.
  // BitsReversed: the number's bits in reverse.
  // InGroup: the `offset`-th rank of its group of `number` ranks, or of one of -`number` groups.
  // Alternating: Shift, the other way where the coordinate is odd: pairs that change in every other phase.
  // Around: `offset` ranks on, around those from `place` to before `end`.
  // DealtTo: one of the `number` ranks from `place` on, to which all others are dealt. DealtFrom: these, one after the
  // other.
  // OfBlock: ranks from `end` on, in blocks of `number`, have one of the ranks from `place` on each. InBlock: the `offset`-th of
  // the block of each, the blocks begin at `place` and their ranks at `end`.
  // Affine: the image of `map`. Solved: whose image the rank is.
  // Constant: the rank at `place`.
  enum class Kind : std::uint8_t {
    NoRank,
    Shift,
    Exclusive,
    Constant,
    Transposed,
    Swapped,
    EachOther,
    Across,
    Mirrored,
    LowestDigit,
    HighestDigit,
    Above,
    Below,
    BitsReversed,
    InGroup,
    Alternating,
    Around,
    DealtTo,
    DealtFrom,
    OfBlock,
    InBlock,
    Affine,
    Solved
  };
  Kind kind = Kind::NoRank;
  std::size_t grid = 0;       // Shift, Exclusive, Transposed: place in study.grids
  std::vector<int> offset{};  // Shift: of coordinates; Exclusive: coordinates xor these
  int number = 0;
  bool also_itself = false;   // Constant, Swapped, Mirrored, BitsReversed, InGroup: otherwise that is none
  FixedPlace place{}, end{};  // Constant; Around, Dealt, blocks
  AffineMap map{};            // Affine, Solved
  Progress progress = Progress::Same;  // Shift, Exclusive: of the offset, from turn to turn
  // Ranks are numbered among these: the law is that of numbers. Empty: among all.
  std::shared_ptr<const NumberedRanks> among{};

  std::optional<int> peer(int rank, int ranks, const Grid& grid, const Turn& turn) const;
  std::string key() const;  // of equal laws
  friend bool operator==(const PeerLaw&, const PeerLaw&) = default;

 private:
  std::optional<int> among_all(int rank, int ranks, const Grid& grid, const Turn& turn) const;
  std::optional<int> dealt(int rank, int ranks, const Turn& turn) const;
  std::optional<int> in_blocks(int rank, int ranks) const;
};

// Whom the law gives a rank in an instance of the call, in the recorded run.
std::optional<int> recorded_peer(const Study& study, const PeerLaw& law, const Instance& instance, int rank);

// Some of them are turns of a loop whose number depends on the size.
bool in_a_loop(const Instances& instances);

class PeerLaws {
 public:
  explicit PeerLaws(const Study& study) : study_(study) {}
  // Throws TraceError if no hypothesis gives all peers; `what` names the call. Of several that do, the first one that
  // `fits`, if there is any.
  using Fits = std::function<bool(const PeerLaw&)>;
  PeerLaw find(const Instances& instances, const RankPeers& peers, const std::string& what,
               const Fits& fits = nullptr);
  std::optional<int> in_target(const PeerLaw& law, int rank, const Turn& turn) const;
  std::vector<std::size_t> used_grids() const;

 private:
  // `of_callers`: regardless of what it says about ranks that do not make the call.
  bool holds(const PeerLaw& law, const Instances& instances, const RankPeers& peers, bool of_callers) const;

  std::optional<PeerLaw> first_holding(const Instances& instances, const RankPeers& peers,
                                       const Fits& fits) const;

  const Study& study_;
  std::vector<PeerLaw> known_;  // laws that held for earlier calls
};

}  // namespace waitdiag

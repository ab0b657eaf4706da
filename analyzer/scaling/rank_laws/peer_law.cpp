// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/scaling/rank_laws/peer_law.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdlib>
#include <set>

#include "analyzer/scaling/rank_laws/peer_hypotheses.hpp"
#include "analyzer/trace/model/trace_error.hpp"

namespace waitdiag {
namespace {

// The rank (j, i, k) of (i, j, k); none where there are not enough ranks.
std::optional<int> swapped(int rank, int ranks) {
  for (const int ratio : {1, 2}) {
    const int edge = static_cast<int>(std::lround(std::sqrt(ranks / ratio)));
    if (edge * edge * ratio != ranks) continue;
    const int i = rank / (edge * ratio), j = rank / ratio % edge, k = rank % ratio;
    return (j * edge + i) * ratio + k;
  }
  return std::nullopt;
}

std::optional<int> with_bits_reversed(int rank, int ranks) {
  if (!std::has_single_bit(static_cast<unsigned>(ranks))) return std::nullopt;
  int other = 0;
  for (int bit = 1, rest = rank; bit < ranks; bit *= 2, rest /= 2) other = 2 * other + rest % 2;
  return other;
}

// Without the highest or the lowest digit that is not 0.
std::optional<int> without_digit(int rank, int base, bool highest) {
  if (rank == 0) return std::nullopt;
  int place = 1;
  while (highest ? rank / place >= base : rank / place % base == 0) place *= base;
  return rank - rank / place % base * place;
}

std::optional<int> in_group(int rank, int ranks, int number, int place) {
  const int length = number > 0 ? number : ranks % number == 0 ? -ranks / number : 0;
  if (place >= length) return std::nullopt;
  const int other = rank / length * length + place;
  return other >= ranks ? std::nullopt : std::optional(other);
}

}  // namespace

std::string PeerLaw::key() const {
  return fmt::format("{} {} {} {} {} {}/{} {}/{} {} {} {} {}", static_cast<int>(kind), grid,
                     fmt::join(offset, ","), number, also_itself, place.number, place.parts, end.number,
                     end.parts, fmt::join(map.factors, ","), fmt::join(map.offset, ","),
                     static_cast<int>(progress), among ? among->text() : "");
}

std::optional<int> PeerLaw::peer(int rank, int ranks, const Grid& shape, const Turn& turn) const {
  if (!among) return among_all(rank, ranks, shape, turn);
  return among->peer(rank, ranks, [&](int number, int count, const Grid& line) {
    return among_all(number, count, line, turn);
  });
}

std::optional<int> PeerLaw::among_all(int rank, int ranks, const Grid& shape, const Turn& turn) const {
  const auto but_itself = [&](std::optional<int> other) {
    return other == rank && !also_itself ? std::nullopt : other;
  };
  switch (kind) {
    case Kind::NoRank:
      return std::nullopt;
    case Kind::EachOther: {
      const int other = turn.number + (turn.number >= rank ? 1 : 0);
      return other < ranks ? std::optional(other) : std::nullopt;
    }
    case Kind::Across: {
      std::vector<int> at = shape.coordinates(rank);
      const auto d = static_cast<std::size_t>(offset.front());
      if (shape.extents[d] % std::abs(number) != 0) return std::nullopt;
      at[d] = (at[d] + shape.extents[d] / number + shape.extents[d]) % shape.extents[d];
      return shape.rank_at(std::move(at));
    }
    case Kind::Mirrored:
      return but_itself(ranks - 1 - rank);
    case Kind::LowestDigit:
    case Kind::HighestDigit:
      return without_digit(rank, number, kind == Kind::HighestDigit);
    case Kind::Above:
      return rank == 0 ? std::nullopt : std::optional((rank - 1) / number);
    case Kind::Below: {
      const std::int64_t below = std::int64_t{number} * rank + offset.front();
      return below < ranks ? std::optional(static_cast<int>(below)) : std::nullopt;
    }
    case Kind::BitsReversed:
      return but_itself(with_bits_reversed(rank, ranks));
    case Kind::InGroup:
      return but_itself(in_group(rank, ranks, number, offset.front()));
    case Kind::Around: {
      const auto from = place.among(ranks), to = end.among(ranks);
      if (!from || !to || rank < *from || rank >= *to) return std::nullopt;
      const int length = *to - *from;
      const int other = *from + ((rank - *from + offset.front()) % length + length) % length;
      return other == rank ? std::nullopt : std::optional(other);
    }
    case Kind::DealtTo:
    case Kind::DealtFrom:
      return dealt(rank, ranks, turn);
    case Kind::OfBlock:
    case Kind::InBlock:
      return in_blocks(rank, ranks);
    case Kind::Affine:
      return map.image(shape, rank);
    case Kind::Solved:
      return map.source(shape, rank);
    case Kind::Constant:
      return but_itself(place.among(ranks));
    case Kind::Alternating:
    case Kind::Exclusive:
    case Kind::Shift: {
      std::vector<int> at = shape.coordinates(rank);
      for (std::size_t d = 0; d < at.size(); ++d) {
        const bool back = kind == Kind::Alternating && at[d] % 2 == 1;
        const std::int64_t by = (back ? -offset[d] : offset[d]) * multiple_at(progress, turn);
        if (std::abs(by) > ranks) return std::nullopt;
        at[d] = kind == Kind::Exclusive ? at[d] ^ static_cast<int>(by) : at[d] + static_cast<int>(by);
        if (kind == Kind::Exclusive && at[d] >= shape.extents[d]) return std::nullopt;
      }
      return shape.rank_at(std::move(at));
    }
    case Kind::Swapped:
      return but_itself(swapped(rank, ranks));
    case Kind::Transposed: {
      std::vector<int> at = shape.coordinates(rank);
      std::reverse(at.begin(), at.end());
      return shape.rank_at(std::move(at));
    }
  }
  return std::nullopt;
}

std::optional<int> recorded_peer(const Study& study, const PeerLaw& law, const Instance& instance, int rank) {
  return law.peer(rank, study.sizes[instance.run].ranks, study.grids[law.grid].of_run[instance.run],
                  instance.turn);
}

std::optional<int> PeerLaw::dealt(int rank, int ranks, const Turn& turn) const {
  const std::optional<int> first = place.among(ranks);
  if (!first || *first + number > ranks) return std::nullopt;
  const int own = rank - *first;
  const bool dealer = own >= 0 && own < number;
  if (kind == Kind::DealtTo) return dealer ? std::nullopt : std::optional(*first + rank % number);
  if (!dealer) return std::nullopt;
  const int other = own + number * (turn.number + (*first == 0 ? 1 : 0));
  return other < ranks && (other < *first || *first == 0) ? std::optional(other) : std::nullopt;
}

// One side is in front of the other, which begins where it ends.
std::optional<int> PeerLaw::in_blocks(int rank, int ranks) const {
  const std::optional<int> to = place.among(ranks), from = end.among(ranks);
  if (!to || !from || *to == *from) return std::nullopt;
  const auto end_of = [&](int begin, int other) { return begin < other ? other : ranks; };
  if (rank < *from || rank >= end_of(*from, *to)) return std::nullopt;
  const int own = rank - *from;
  const int other = *to + (kind == Kind::OfBlock ? own / number : own * number + offset.front());
  return other < end_of(*to, *from) ? std::optional(other) : std::nullopt;
}

bool PeerLaws::holds(const PeerLaw& law, const Instances& instances, const RankPeers& peers,
                     bool of_callers) const {
  for (std::size_t i = 0; i < peers.size(); ++i) {
    for (std::size_t rank = 0; rank < peers[i].size(); ++rank) {
      if (of_callers && peers[i][rank] == kNoCall) continue;
      const auto peer = recorded_peer(study_, law, instances[i], static_cast<int>(rank));
      if (peer.value_or(-1) != std::max(peers[i][rank], -1)) return false;
    }
  }
  return true;
}

bool in_a_loop(const Instances& instances) {
  return std::ranges::any_of(instances, [](const Instance& one) { return one.turn.of > 1; });
}

std::optional<PeerLaw> PeerLaws::first_holding(const Instances& instances, const RankPeers& peers,
                                               const Fits& fits) const {
  // A law that also says which ranks do not make the call is better.
  for (const bool of_callers : {false, true}) {
    const auto good = [&](const PeerLaw& law) {
      return holds(law, instances, peers, of_callers) && (!fits || fits(law));
    };
    if (const auto found = std::ranges::find_if(known_, good); found != known_.end()) return *found;
    for (const Progress progress : kProgresses) {
      if (progress != Progress::Same && !in_a_loop(instances)) break;
      const std::vector<PeerLaw> laws = peer_hypotheses(study_, instances, peers, progress);
      if (const auto found = std::ranges::find_if(laws, good); found != laws.end()) return *found;
    }
  }
  return std::nullopt;
}

PeerLaw PeerLaws::find(const Instances& instances, const RankPeers& peers, const std::string& what,
                       const Fits& fits) {
  std::optional<PeerLaw> law;
  if (fits) law = first_holding(instances, peers, fits);
  if (!law) law = first_holding(instances, peers, nullptr);
  if (law) {
    if (std::ranges::find(known_, *law) == known_.end()) known_.push_back(*law);
    return *law;
  }
  const PeerPair pair = first_pair(instances, peers, Progress::Same);
  throw TraceError(fmt::format(
      "cannot tell whom {} reaches with {} ranks: no rule gives the peers of all ranks in all "
      "runs (neighbours in a grid of "
      "1 to 3 dimensions, rank xor a number, one fixed rank, linear maps); for example rank {} "
      "of {} has peer {}; programs "
      "that make their grid by MPI_Cart_create are understood best",
      what, study_.target.ranks, pair.rank, study_.runs[instances[pair.instance].run].name, pair.peer));
}

std::optional<int> PeerLaws::in_target(const PeerLaw& law, int rank, const Turn& turn) const {
  return law.peer(rank, study_.target.ranks, study_.grids[law.grid].target, turn);
}

std::vector<std::size_t> PeerLaws::used_grids() const {
  std::set<std::size_t> used;
  for (const PeerLaw& law : known_) {
    if (law.among) continue;
    const bool along = (law.kind == PeerLaw::Kind::Exclusive || law.kind == PeerLaw::Kind::Across ||
                        law.kind == PeerLaw::Kind::Affine || law.kind == PeerLaw::Kind::Alternating) &&
                       study_.grids[law.grid].target.extents.size() > 1;
    if (along || law.kind == PeerLaw::Kind::Shift || law.kind == PeerLaw::Kind::Transposed)
      used.insert(law.grid);
  }
  for (std::size_t i = 0; i < study_.grids.size(); ++i)
    if (study_.grids[i].recorded) used.insert(i);
  return {used.begin(), used.end()};
}

}  // namespace waitdiag

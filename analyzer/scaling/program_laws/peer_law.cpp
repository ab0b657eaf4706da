// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/scaling/program_laws/peer_law.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdlib>
#include <iterator>
#include <numeric>
#include <set>

#include "analyzer/trace/model/trace_error.hpp"

namespace waitdiag {
namespace {

struct PeerPair {
  std::size_t instance = 0;
  int rank = -1, peer = -1;
};

// The first rank that has a peer, in the largest run that has any, where the progress begins.
PeerPair first_pair(const Instances& instances, const RankPeers& peers, Progress progress) {
  for (std::size_t i = instances.size(); i-- > 0;) {
    if (instances[i].turn.number != first_multiple(progress, instances[i].turn.of)) continue;
    for (std::size_t rank = 0; rank < peers[i].size(); ++rank)
      if (peers[i][rank] >= 0) return {i, static_cast<int>(rank), peers[i][rank]};
  }
  return {};
}

// All offsets that lead from one rank to the other; around a periodic dimension there are several, short ones
// first.
std::vector<std::vector<int>> offsets(const Grid& grid, int rank, int peer) {
  const std::vector<int> from = grid.coordinates(rank), to = grid.coordinates(peer);
  std::vector<std::vector<int>> all = {{}};
  for (std::size_t d = 0; d < from.size(); ++d) {
    std::vector<int> ways = {to[d] - from[d]};
    if (grid.periodic[d]) ways.insert(ways.end(), {ways[0] - grid.extents[d], ways[0] + grid.extents[d]});
    std::vector<std::vector<int>> longer;
    for (const std::vector<int>& begun : all)
      for (const int way : ways) {
        longer.push_back(begun);
        longer.back().push_back(way);
      }
    all = std::move(longer);
  }
  const auto length = [](const std::vector<int>& offset) {
    return std::accumulate(offset.begin(), offset.end(), 0,
                           [](int sum, int by) { return sum + std::abs(by); });
  };
  std::stable_sort(all.begin(), all.end(),
                   [&](const auto& a, const auto& b) { return length(a) < length(b); });
  return all;
}

// The other rank (j, i, k) of (i, j, k); none where that is the rank itself, or there are not enough ranks.
std::optional<int> swapped(int rank, int ranks) {
  for (const int ratio : {1, 2}) {
    const int edge = static_cast<int>(std::lround(std::sqrt(ranks / ratio)));
    if (edge * edge * ratio != ranks) continue;
    const int i = rank / (edge * ratio), j = rank / ratio % edge, k = rank % ratio;
    return i == j ? std::nullopt : std::optional((j * edge + i) * ratio + k);
  }
  return std::nullopt;
}

std::optional<int> with_bits_reversed(int rank, int ranks, bool also_itself) {
  if (!std::has_single_bit(static_cast<unsigned>(ranks))) return std::nullopt;
  int other = 0;
  for (int bit = 1, rest = rank; bit < ranks; bit *= 2, rest /= 2) other = 2 * other + rest % 2;
  return other == rank && !also_itself ? std::nullopt : std::optional(other);
}

std::optional<int> in_group(int rank, int ranks, int number, int place) {
  const int length = number > 0 ? number : ranks % number == 0 ? -ranks / number : 0;
  if (place >= length) return std::nullopt;
  const int other = rank / length * length + place;
  return other == rank || other >= ranks ? std::nullopt : std::optional(other);
}

// The lengths of groups in which all peers have the same place.
std::vector<PeerLaw> group_laws(const std::vector<int>& peers) {
  const int ranks = static_cast<int>(peers.size());
  std::vector<PeerLaw> laws;
  for (int length = 2; 2 * length <= ranks; ++length) {
    std::set<int> places;
    for (int rank = 0; rank < ranks && places.size() < 2; ++rank)
      if (const int peer = peers[static_cast<std::size_t>(rank)]; peer >= 0)
        places.insert(peer - rank / length * length);
    if (places.size() != 1 || *places.begin() < 0 || *places.begin() >= length) continue;
    laws.push_back({.kind = PeerLaw::Kind::InGroup, .offset = {*places.begin()}, .number = length});
    if (ranks % length == 0)
      laws.push_back(
          {.kind = PeerLaw::Kind::InGroup, .offset = {*places.begin()}, .number = -ranks / length});
  }
  return laws;
}

// Who has each rank as its peer: -1 where nobody does.
std::vector<int> sources(const std::vector<int>& peers) {
  std::vector<int> from(peers.size(), -1);
  for (std::size_t rank = 0; rank < peers.size(); ++rank)
    if (peers[rank] >= 0) from[static_cast<std::size_t>(peers[rank])] = static_cast<int>(rank);
  return from;
}

// Runs of 8, 16 and 32 ranks do not tell 5 r from what solves 13 r: small numbers come first.
std::vector<PeerLaw> affine_laws(const Study& study, std::size_t run, const std::vector<int>& peers) {
  const std::vector<int> from = sources(peers);
  std::vector<PeerLaw> laws;
  for (std::size_t grid = 0; grid < study.grids.size(); ++grid) {
    const Grid& shape = study.grids[grid].of_run[run];
    for (AffineMap& map : affine_maps(shape, peers))
      laws.push_back({.kind = PeerLaw::Kind::Affine, .grid = grid, .map = std::move(map)});
    if (shape.extents.size() != 1) continue;
    for (AffineMap& map : affine_maps(shape, from))
      laws.push_back({.kind = PeerLaw::Kind::Solved, .grid = grid, .map = std::move(map)});
  }
  std::ranges::stable_sort(laws, {}, [](const PeerLaw& law) { return law.map.magnitude(); });
  return laws;
}

}  // namespace

std::optional<int> PeerLaw::peer(int rank, int ranks, const Grid& shape, const Turn& turn) const {
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
      return 2 * rank + 1 == ranks ? std::nullopt : std::optional(ranks - 1 - rank);
    case Kind::LowestBit:
      return rank == 0 ? std::nullopt : std::optional(rank & (rank - 1));
    case Kind::HighestBit:
      return rank == 0 ? std::nullopt
                       : std::optional(rank - static_cast<int>(std::bit_floor(static_cast<unsigned>(rank))));
    case Kind::Above:
      return rank == 0 ? std::nullopt : std::optional((rank - 1) / number);
    case Kind::Below: {
      const std::int64_t below = std::int64_t{number} * rank + offset.front();
      return below < ranks ? std::optional(static_cast<int>(below)) : std::nullopt;
    }
    case Kind::BitsReversed:
      return with_bits_reversed(rank, ranks, number == 1);
    case Kind::InGroup:
      return in_group(rank, ranks, number, offset.front());
    case Kind::Affine:
      return map.image(shape, rank);
    case Kind::Solved:
      return map.source(shape, rank);
    case Kind::Always:
      return place.among(ranks);
    case Kind::Constant: {
      const std::optional<int> other = place.among(ranks);
      return other == rank ? std::nullopt : other;
    }
    case Kind::Exclusive:
    case Kind::Shift: {
      std::vector<int> at = shape.coordinates(rank);
      for (std::size_t d = 0; d < at.size(); ++d) {
        const std::int64_t by = offset[d] * multiple_at(progress, turn);
        if (std::abs(by) > ranks) return std::nullopt;
        at[d] = kind == Kind::Shift ? at[d] + static_cast<int>(by) : at[d] ^ static_cast<int>(by);
        if (kind == Kind::Exclusive && at[d] >= shape.extents[d]) return std::nullopt;
      }
      return shape.rank_at(std::move(at));
    }
    case Kind::Swapped:
      return swapped(rank, ranks);
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

std::vector<PeerLaw> peer_hypotheses(const Study& study, const Instances& instances, const RankPeers& peers,
                                     Progress progress) {
  const PeerPair pair = first_pair(instances, peers, progress);
  if (pair.peer < 0) return {PeerLaw{}};
  const std::size_t run = instances[pair.instance].run;
  std::vector<PeerLaw> all;
  for (std::size_t grid = 0; grid < study.grids.size(); ++grid)
    for (std::vector<int>& offset : offsets(study.grids[grid].of_run[run], pair.rank, pair.peer))
      all.push_back(
          {.kind = PeerLaw::Kind::Shift, .grid = grid, .offset = std::move(offset), .progress = progress});
  const std::vector<FixedPlace> places = readings_of_place(pair.peer, study.sizes[run].ranks);
  for (const FixedPlace& place : places)
    if (progress == Progress::Same) all.push_back({.kind = PeerLaw::Kind::Constant, .place = place});
  const std::size_t shifts = all.size();
  for (std::size_t grid = 0; grid < study.grids.size(); ++grid) {
    const Grid& shape = study.grids[grid].of_run[run];
    const std::vector<int> from = shape.coordinates(pair.rank), to = shape.coordinates(pair.peer);
    PeerLaw law{.kind = PeerLaw::Kind::Exclusive, .grid = grid, .progress = progress};
    for (std::size_t d = 0; d < from.size(); ++d) law.offset.push_back(from[d] ^ to[d]);
    all.push_back(std::move(law));
  }
  // Plain ranks come before coordinates.
  std::ranges::stable_sort(all.begin() + static_cast<std::ptrdiff_t>(shifts), all.end(), {},
                           [](const PeerLaw& law) { return law.offset.size(); });
  if (progress != Progress::Same) return all;
  all.push_back({.kind = PeerLaw::Kind::Swapped});
  for (std::size_t grid = 0; grid < study.grids.size(); ++grid)
    if (study.grids[grid].target.extents.size() == 2)
      all.push_back({.kind = PeerLaw::Kind::Transposed, .grid = grid});
  all.push_back({.kind = PeerLaw::Kind::EachOther});
  for (std::size_t grid = 0; grid < study.grids.size(); ++grid)
    for (int d = 0; d < static_cast<int>(study.grids[grid].target.extents.size()); ++d)
      for (const int part : {2, 4, -4})
        all.push_back({.kind = PeerLaw::Kind::Across, .grid = grid, .offset = {d}, .number = part});
  all.push_back({.kind = PeerLaw::Kind::Mirrored});
  all.push_back({.kind = PeerLaw::Kind::LowestBit});
  all.push_back({.kind = PeerLaw::Kind::HighestBit});
  for (const int branches : {2, 3, 4}) {
    all.push_back({.kind = PeerLaw::Kind::Above, .number = branches});
    for (int branch = 1; branch <= branches; ++branch)
      all.push_back({.kind = PeerLaw::Kind::Below, .offset = {branch}, .number = branches});
  }
  for (const FixedPlace& place : places) all.push_back({.kind = PeerLaw::Kind::Always, .place = place});
  for (const int itself : {0, 1}) all.push_back({.kind = PeerLaw::Kind::BitsReversed, .number = itself});
  std::ranges::move(group_laws(peers[pair.instance]), std::back_inserter(all));
  std::ranges::move(affine_laws(study, run, peers[pair.instance]), std::back_inserter(all));
  return all;
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
    const bool along = (law.kind == PeerLaw::Kind::Exclusive || law.kind == PeerLaw::Kind::Across ||
                        law.kind == PeerLaw::Kind::Affine) &&
                       study_.grids[law.grid].target.extents.size() > 1;
    if (along || law.kind == PeerLaw::Kind::Shift || law.kind == PeerLaw::Kind::Transposed)
      used.insert(law.grid);
  }
  for (std::size_t i = 0; i < study_.grids.size(); ++i)
    if (study_.grids[i].recorded) used.insert(i);
  return {used.begin(), used.end()};
}

}  // namespace waitdiag

// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/scaling/rescaling/peer_law.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <numeric>
#include <set>

#include "analyzer/trace/model/trace_error.hpp"

namespace waitdiag {
namespace {

struct PeerPair {
  int rank = -1, peer = -1;
};

// The first rank of the largest run that has a peer, or of the largest before it.
PeerPair first_pair(const PeersByRun& peers, std::size_t& run) {
  for (run = peers.size(); run-- > 0;)
    for (std::size_t rank = 0; rank < peers[run].size(); ++rank)
      if (peers[run][rank] >= 0) return {static_cast<int>(rank), peers[run][rank]};
  return {};
}

// All that lead from one rank to the other; around a periodic dimension there are more ways, short ones
// first.
std::vector<std::vector<int>> offsets(const Grid& grid, const PeerPair& pair) {
  const std::vector<int> from = grid.coordinates(pair.rank), to = grid.coordinates(pair.peer);
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

// The other rank (j, i, k) of (i, j, k); nobody where that is the rank itself, or ranks are not so many.
std::optional<int> swapped(int rank, int ranks) {
  for (const int ratio : {1, 2}) {
    const int edge = static_cast<int>(std::lround(std::sqrt(ranks / ratio)));
    if (edge * edge * ratio != ranks) continue;
    const int i = rank / (edge * ratio), j = rank / ratio % edge, k = rank % ratio;
    return i == j ? std::nullopt : std::optional((j * edge + i) * ratio + k);
  }
  return std::nullopt;
}

}  // namespace

std::optional<int> PeerLaw::peer(int rank, int ranks, const Grid& shape) const {
  switch (kind) {
    case Kind::Nobody:
      return std::nullopt;
    case Kind::Exclusive:
      return (rank ^ number) < ranks ? std::optional(rank ^ number) : std::nullopt;
    case Kind::Constant:
      return rank == number ? std::nullopt : std::optional(number);
    case Kind::Shift: {
      std::vector<int> at = shape.coordinates(rank);
      for (std::size_t d = 0; d < at.size(); ++d) at[d] += offset[d];
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

bool PeerLaws::holds(const PeerLaw& law, const PeersByRun& peers) const {
  for (std::size_t run = 0; run < peers.size(); ++run)
    for (std::size_t rank = 0; rank < peers[run].size(); ++rank) {
      const auto peer =
          law.peer(static_cast<int>(rank), study_.sizes[run].ranks, study_.grids[law.grid].of_run[run]);
      if (peer.value_or(-1) != peers[run][rank]) return false;
    }
  return true;
}

std::vector<PeerLaw> PeerLaws::hypotheses(const PeersByRun& peers) const {
  std::size_t run = 0;
  const PeerPair pair = first_pair(peers, run);
  std::vector<PeerLaw> all;
  if (pair.peer < 0) return {PeerLaw{}};
  for (std::size_t grid = 0; grid < study_.grids.size(); ++grid)
    for (std::vector<int>& offset : offsets(study_.grids[grid].of_run[run], pair))
      all.push_back({.kind = PeerLaw::Kind::Shift, .grid = grid, .offset = std::move(offset)});
  all.push_back({.kind = PeerLaw::Kind::Constant, .number = pair.peer});
  all.push_back({.kind = PeerLaw::Kind::Exclusive, .number = pair.rank ^ pair.peer});
  all.push_back({.kind = PeerLaw::Kind::Swapped});
  for (std::size_t grid = 0; grid < study_.grids.size(); ++grid)
    if (study_.grids[grid].target.extents.size() == 2)
      all.push_back({.kind = PeerLaw::Kind::Transposed, .grid = grid});
  return all;
}

PeerLaw PeerLaws::find(const PeersByRun& peers, const std::string& what) {
  for (const PeerLaw& law : known_)
    if (holds(law, peers)) return law;
  for (const PeerLaw& law : hypotheses(peers)) {
    if (!holds(law, peers)) continue;
    known_.push_back(law);
    return law;
  }
  std::size_t run = 0;
  const PeerPair pair = first_pair(peers, run);
  throw TraceError(
      fmt::format("cannot tell whom {} reaches with {} ranks: no rule gives the peers of all ranks in all "
                  "runs (neighbours in a grid of "
                  "1 to 3 dimensions, rank xor a number, one fixed rank, transposition); for example rank {} "
                  "of {} has peer {}; programs "
                  "that make their grid by MPI_Cart_create are understood best",
                  what, study_.target.ranks, pair.rank, study_.runs[run].name, pair.peer));
}

std::optional<int> PeerLaws::in_target(const PeerLaw& law, int rank) const {
  return law.peer(rank, study_.target.ranks, study_.grids[law.grid].target);
}

std::vector<std::size_t> PeerLaws::used_grids() const {
  std::set<std::size_t> used;
  for (const PeerLaw& law : known_)
    if (law.kind == PeerLaw::Kind::Shift || law.kind == PeerLaw::Kind::Transposed) used.insert(law.grid);
  for (std::size_t i = 0; i < study_.grids.size(); ++i)
    if (study_.grids[i].recorded) used.insert(i);
  return {used.begin(), used.end()};
}

}  // namespace waitdiag

// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/scaling/rank_laws/peer_hypotheses.hpp"

#include <algorithm>
#include <cstdlib>
#include <iterator>
#include <numeric>
#include <optional>
#include <set>
#include <utility>

namespace waitdiag {
namespace {

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

// The ranks from the first to before the last of those that are in `chosen`; nothing: others are among them.
std::optional<std::pair<int, int>> interval_of(const std::set<int>& chosen) {
  if (chosen.empty()) return std::nullopt;
  const std::pair interval(*chosen.begin(), *chosen.rbegin() + 1);
  return interval.second - interval.first == static_cast<int>(chosen.size()) ? std::optional(interval)
                                                                             : std::nullopt;
}

// Of the ranks in a row that make a call: shifts around them, and what is dealt to them, or by them.
std::vector<PeerLaw> interval_laws(const PeerPair& pair, const std::vector<int>& peers) {
  const int ranks = static_cast<int>(peers.size());
  std::set<int> callers, reached;
  for (int rank = 0; rank < ranks; ++rank)
    if (const int peer = peers[static_cast<std::size_t>(rank)]; peer >= 0) {
      callers.insert(rank);
      reached.insert(peer);
    }
  std::vector<PeerLaw> laws;
  const auto add = [&](PeerLaw::Kind kind, const std::pair<int, int>& interval) {
    const auto [from, to] = interval;
    const int length = to - from, by = pair.peer - pair.rank;
    PeerLaw law{.kind = kind, .number = length};
    const std::vector<FixedPlace> starts =
        from == 0 ? std::vector<FixedPlace>{{}} : readings_of_place(from, ranks);
    for (const FixedPlace& start : starts) {
      law.place = start;
      if (kind != PeerLaw::Kind::Around) {
        laws.push_back(law);
        continue;
      }
      for (const FixedPlace& end : readings_of_place(to, ranks))
        for (const int offset : {by, by > 0 ? by - length : by + length}) {
          laws.push_back({.kind = kind, .offset = {offset}, .place = start, .end = end});
        }
    }
  };
  const auto of_callers = interval_of(callers), of_reached = interval_of(reached);
  if (of_callers && of_callers == of_reached && static_cast<int>(callers.size()) < ranks)
    add(PeerLaw::Kind::Around, *of_callers);
  if (of_reached && reached.size() > 1 && 2 * static_cast<int>(reached.size()) <= ranks)
    add(PeerLaw::Kind::DealtTo, *of_reached);
  if (of_callers && callers.size() > 1 && 2 * static_cast<int>(callers.size()) <= ranks)
    add(PeerLaw::Kind::DealtFrom, *of_callers);
  std::ranges::stable_sort(
      laws, {}, [](const PeerLaw& law) { return law.offset.empty() ? 0 : std::abs(law.offset.front()); });
  return laws;
}

// Of ranks in a row in front of all others, or behind them: each has a block of the others, of equal lengths.
std::vector<PeerLaw> block_laws(const std::vector<int>& peers) {
  const int ranks = static_cast<int>(peers.size());
  const auto first = std::ranges::find_if(peers, [](int peer) { return peer >= 0; }) - peers.begin();
  std::vector<int> of_callers;  // in a row
  for (auto at = static_cast<std::size_t>(first); at < peers.size() && peers[at] >= 0; ++at)
    of_callers.push_back(peers[at]);
  const int begin = static_cast<int>(first), end = begin + static_cast<int>(of_callers.size());
  if (of_callers.size() < 2 || (begin != 0 && end != ranks)) return {};
  const int others = begin == 0 ? end : 0, to = of_callers.front() - others;
  const auto same = std::ranges::find_if(of_callers, [&](int peer) { return peer != of_callers.front(); });
  const int in_block = static_cast<int>(same - of_callers.begin()), apart = of_callers[1] - of_callers[0];
  std::vector<PeerLaw> laws;
  const auto add = [&](PeerLaw::Kind kind, int number) {
    PeerLaw law{.kind = kind, .offset = {to}, .number = number};
    FixedPlace& inner = begin == 0 ? law.place : law.end;  // the side that does not begin with rank 0
    for (const FixedPlace& place : readings_of_place(std::max(begin, others), ranks)) {
      inner = place;
      laws.push_back(law);
    }
  };
  if (to == 0 && in_block > 1) add(PeerLaw::Kind::OfBlock, in_block);
  if (to >= 0 && to < apart) add(PeerLaw::Kind::InBlock, apart);
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

// Whether those that have a peer are these, whenever the call is made.
bool are_callers(const RankSubset& subset, const RankPeers& peers) {
  return std::ranges::all_of(peers, [&](const std::vector<int>& of_instance) {
    const int ranks = static_cast<int>(of_instance.size());
    for (int rank = 0; rank < ranks; ++rank)
      if (subset.has(rank, ranks) != (of_instance[static_cast<std::size_t>(rank)] >= 0)) return false;
    return true;
  });
}

// Of some of the ranks, numbered in order: shifts, and numbers xor a number.
std::vector<PeerLaw> numbered_laws(const Study& study, const PeerPair& pair, const RankPeers& peers,
                                   Progress progress) {
  std::vector<bool> callers;
  for (const int peer : peers[pair.instance]) callers.push_back(peer >= 0);
  if (std::ranges::find(callers, false) == callers.end()) return {};
  const int ranks = static_cast<int>(callers.size());
  std::vector<PeerLaw> laws;
  for (const auto& subsets : {one_of_each_group, ranks_in_a_row, parts_of_ranks})
    for (const RankSubset& subset : subsets(callers)) {
      if (!are_callers(subset, peers)) continue;
      const auto in_line = std::make_shared<const NumberedRanks>(study, subset, false),
                 around = std::make_shared<const NumberedRanks>(study, subset, true);
      const std::optional<int> from = in_line->number_of(pair.rank, ranks),
                               to = in_line->number_of(pair.peer, ranks);
      if (!from || !to) continue;
      const int count = static_cast<int>(std::ranges::count(callers, true));
      PeerLaw law{
          .kind = PeerLaw::Kind::Shift, .offset = {*to - *from}, .progress = progress, .among = in_line};
      laws.push_back(law);
      law.among = around;
      for (const int by : {*to - *from, *to - *from + (*to > *from ? -count : count)}) {
        law.offset = {by};
        laws.push_back(law);
      }
      laws.push_back({.kind = PeerLaw::Kind::Exclusive,
                      .offset = {*from ^ *to},
                      .progress = progress,
                      .among = in_line});
    }
  return laws;
}

// Ranks may talk to themselves as to others: in windows, and where the transposed block is their own.
void add_with_itself(std::vector<PeerLaw>& laws, const std::vector<FixedPlace>& places) {
  using Kind = PeerLaw::Kind;
  std::vector<PeerLaw> more;
  for (const FixedPlace& place : places) more.push_back({.kind = Kind::Constant, .place = place});
  for (const PeerLaw& law : laws)
    if (law.kind == Kind::Swapped || law.kind == Kind::Mirrored || law.kind == Kind::BitsReversed ||
        law.kind == Kind::InGroup)
      more.push_back(law);
  for (PeerLaw& law : more) law.also_itself = true;
  std::ranges::move(more, std::back_inserter(laws));
}

}  // namespace

PeerPair first_pair(const Instances& instances, const RankPeers& peers, Progress progress) {
  for (std::size_t i = instances.size(); i-- > 0;) {
    if (instances[i].turn.number != first_multiple(progress, instances[i].turn.of)) continue;
    for (std::size_t rank = 0; rank < peers[i].size(); ++rank)
      if (peers[i][rank] >= 0) return {i, static_cast<int>(rank), peers[i][rank]};
  }
  return {};
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
  const std::size_t plain = all.size();
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
  if (progress != Progress::Same) {
    std::ranges::move(numbered_laws(study, pair, peers, progress), std::back_inserter(all));
    return all;
  }
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
  for (const int base : {2, 3, 4, 8})
    for (const auto kind : {PeerLaw::Kind::LowestDigit, PeerLaw::Kind::HighestDigit})
      all.push_back({.kind = kind, .number = base});
  for (const int branches : {2, 3, 4}) {
    all.push_back({.kind = PeerLaw::Kind::Above, .number = branches});
    for (int branch = 1; branch <= branches; ++branch)
      all.push_back({.kind = PeerLaw::Kind::Below, .offset = {branch}, .number = branches});
  }
  all.push_back({.kind = PeerLaw::Kind::BitsReversed});
  std::ranges::move(group_laws(peers[pair.instance]), std::back_inserter(all));
  add_with_itself(all, places);
  std::ranges::move(interval_laws(pair, peers[pair.instance]), std::back_inserter(all));
  std::ranges::move(block_laws(peers[pair.instance]), std::back_inserter(all));
  std::ranges::move(numbered_laws(study, pair, peers, progress), std::back_inserter(all));
  std::ranges::move(affine_laws(study, run, peers[pair.instance]), std::back_inserter(all));
  // In small grids, what is mirrored alternates, too: the other kinds come first.
  for (std::size_t i = 0; i < plain; ++i) {
    PeerLaw law = all[i];
    law.kind = PeerLaw::Kind::Alternating;
    const std::vector<int> at = study.grids[law.grid].of_run[run].coordinates(pair.rank);
    for (std::size_t d = 0; d < at.size(); ++d)
      if (at[d] % 2 == 1) law.offset[d] = -law.offset[d];
    all.push_back(std::move(law));
  }
  return all;
}

}  // namespace waitdiag

// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/scaling/sequences/described_calls.hpp"

#include <algorithm>
#include <cstdlib>

namespace waitdiag {
namespace {

constexpr int kSame = 8;

int likeness_of_peers(int rank, int peer, int other_rank, int other) {
  constexpr int kDirection = 4, kUnlike = 0;
  if (peer == DescribedCall::kNoRank && other == DescribedCall::kNoRank) return kSame;
  if (peer == DescribedCall::kNoRank || other == DescribedCall::kNoRank) return kUnlike;
  if (peer - rank == other - other_rank || (peer ^ rank) == (other ^ other_rank) || peer == other)
    return kSame;
  return (peer < rank) == (other < other_rank) ? kDirection : kUnlike;
}

// A number for the way from one rank to another in a grid, the same in grids of all sizes.
int way_in(const Grid& grid, int rank, int peer) {
  constexpr int kFarther = 1 << 12;  // than any way along a dimension that matters
  const std::vector<int> from = grid.coordinates(rank), to = grid.coordinates(peer);
  int way = 0;
  for (std::size_t d = 0; d < from.size(); ++d) {
    int by = to[d] - from[d];
    if (grid.periodic[d] && 2 * std::abs(by) > grid.extents[d])
      by += by > 0 ? -grid.extents[d] : grid.extents[d];
    way = way * kFarther + by;
  }
  return way;
}

}  // namespace

bool other_way(const DescribedCall& a, const DescribedCall& b) {
  const auto differs = [&](int peer, int other) {
    return peer != DescribedCall::kNoRank && other != DescribedCall::kNoRank &&
           (peer < a.rank) != (other < b.rank);
  };
  return differs(a.to, b.to) || differs(a.from, b.from);
}

int likeness(const DescribedCall& a, const DescribedCall& b, SameCall same) {
  constexpr int kName = 2;
  if (a.name != b.name || (a.has_peer() && b.has_peer() && a.tag != b.tag)) return 0;
  if (same == SameCall::Direction && other_way(a, b)) return 0;
  const auto another = [&](int peer, int other) {
    return peer != DescribedCall::kNoRank && other != DescribedCall::kNoRank &&
           likeness_of_peers(a.rank, peer, b.rank, other) != kSame;
  };
  if (same == SameCall::Partner && (another(a.to, b.to) || another(a.from, b.from))) return 0;
  // The order of operations is the same for all members; in another run, or another communicator, that is likely.
  if (a.run == b.run && a.of_all && b.of_all && a.nth != b.nth) return 0;
  constexpr int kNth = 8;
  const bool same_nth = a.nth != DescribedCall::kNoRank && a.nth == b.nth && a.of_all == b.of_all;
  return kName + (same_nth ? kNth : 0) + likeness_of_peers(a.rank, a.to, b.rank, b.to) +
         likeness_of_peers(a.rank, a.from, b.rank, b.from) + (a.computed == b.computed ? 1 : 0);
}

void look_at(const Grid& grid, std::vector<DescribedCall>& calls) {
  constexpr int kOrigin = 1 << 28;
  for (DescribedCall& call : calls) {
    for (int* peer : {&call.to, &call.from})
      if (*peer != DescribedCall::kNoRank) *peer = kOrigin + way_in(grid, call.rank, *peer);
    call.rank = kOrigin;
  }
}

std::uint32_t CallDescriptions::computed_before(const Trace& trace, const Timeline& timeline,
                                                std::uint32_t op) {
  std::vector<std::uint32_t> set;
  for (const ComputationPiece& piece : timeline.pieces(op)) {
    if (piece.call_path == kNoCallPath) continue;
    const auto [known, is_new] = paths_.try_emplace({&trace, piece.call_path}, 0);
    if (is_new)
      known->second =
          names_.try_emplace(trace.call_path_name(piece.call_path), static_cast<std::uint32_t>(names_.size()))
              .first->second;
    set.push_back(known->second);
  }
  std::ranges::sort(set);
  set.erase(std::unique(set.begin(), set.end()), set.end());
  return sets_.try_emplace(std::move(set), static_cast<std::uint32_t>(sets_.size())).first->second;
}

void CallDescriptions::number_inside(const Trace& trace, const MessageEnd& end,
                                     int DescribedCall::InCommunicator::*peer, DescribedCall& call) {
  if (end.comm == kNoComm) return;
  const std::vector<Rank>& members = trace.communicator(end.comm).members;
  if (members.size() == trace.ranks() || !trace.communicator(end.comm).remote_members.empty()) return;
  const auto number_of = [&](int rank) {
    const auto found = std::ranges::find(members, Rank(rank));
    return found == members.end() ? DescribedCall::kNoRank : static_cast<int>(found - members.begin());
  };
  call.inside.rank = number_of(call.rank);
  call.inside.*peer = number_of(static_cast<int>(end.peer));
  call.inside.ranks = static_cast<int>(members.size());
}

std::vector<DescribedCall> CallDescriptions::of(const Trace& trace, std::size_t run, std::size_t rank,
                                                const std::vector<std::uint32_t>& names) {
  const Timeline& timeline = trace.timeline(trace.main_location(Rank(rank)));
  std::vector<DescribedCall> calls;
  for (std::uint32_t op = 0; op < names.size(); ++op)
    calls.push_back({.name = names[op],
                     .rank = static_cast<int>(rank),
                     .run = run,
                     .computed = computed_before(trace, timeline, op)});
  for (const MessageEnd& end : timeline.sends())
    if (end.posted != kNoOp) {
      calls[end.posted].to = static_cast<int>(end.peer);
      number_inside(trace, end, &DescribedCall::InCommunicator::to, calls[end.posted]);
      calls[end.posted].tag = end.tag;
      calls[end.posted].bytes = end.bytes;
    }
  for (const MessageEnd& end : timeline.receives())
    if (end.posted != kNoOp) {
      calls[end.posted].from = static_cast<int>(end.peer);
      number_inside(trace, end, &DescribedCall::InCommunicator::from, calls[end.posted]);
      calls[end.posted].tag = end.tag;
      calls[end.posted].bytes = std::max(calls[end.posted].bytes, end.bytes);
    }
  for (const RmaRecord& record : timeline.rma()) {
    const bool moves = record.what == RmaRecord::What::Put || record.what == RmaRecord::What::Get ||
                       record.what == RmaRecord::What::Atomic;
    if (!moves || record.op == kNoOp || record.target == kNoRank) continue;
    calls[record.op].to = static_cast<int>(record.target);
    calls[record.op].bytes = record.bytes;
  }
  std::map<CommId, int> taken_part;
  for (const CollectivePart& part : timeline.collectives())
    if (part.op != kNoOp && part.comm != kNoComm) {
      calls[part.op].nth = taken_part[part.comm]++;
      const Communicator& comm = trace.communicator(part.comm);
      if (!comm.self) calls[part.op].comm = part.comm;
      calls[part.op].members = comm.self ? 1 : static_cast<std::uint32_t>(comm.members.size());
      calls[part.op].of_all = comm.members.size() == trace.ranks();
    }
  return calls;
}

}  // namespace waitdiag

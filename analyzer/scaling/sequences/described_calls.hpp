// What distinguishes a call from others of the same name, to align the calls of different ranks.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <map>
#include <tuple>
#include <utility>
#include <vector>

#include "analyzer/scaling/sequences/sequence.hpp"

namespace waitdiag {

struct DescribedCall {
  static constexpr int kNoRank = -1;
  std::uint32_t name = 0;
  int rank = 0, to = kNoRank, from = kNoRank;  // the ranks it sends to and receives from
  std::int32_t tag = 0;
  std::uint64_t bytes = 0;  // sent, or received
  // The same ranks as numbered in the communicator of the message, where that is one of some ranks.
  struct InCommunicator {
    int rank = kNoRank, to = kNoRank, from = kNoRank, ranks = 0;
  };
  InCommunicator inside{};
  // Of a collective operation: its communicator, unless that is of one rank only; how many this rank took part in
  // before, there; and whether it has all ranks of the run.
  CommId comm = kNoComm;
  int nth = kNoRank;
  bool of_all = false;
  std::uint32_t members = 0;  // of its communicator
  std::size_t run = 0;
  std::uint32_t computed = 0;  // what ran before it, where that is known: sets of functions have numbers
  std::uint32_t which = 0;     // for the code that merges them
  void forget_partners() {
    to = from = kNoRank;
    inside = {};
    tag = 0;
    bytes = 0;
  }
  bool has_peer() const { return to != kNoRank || from != kNoRank; }
  // Everything that matters here: ranks with equal calls are aligned once.
  auto key() const {
    return std::tuple(name, to == kNoRank ? 0 : to - rank, from == kNoRank ? 0 : from - rank, tag, bytes,
                      computed, nth, of_all, members);
  }
};

// One goes to, or comes from, a rank before its own, the other one behind.
bool other_way(const DescribedCall& a, const DescribedCall& b);

// 0: these are two calls. The same neighbour counts most, then the same direction; a rank without neighbour
// may be at an edge.
int likeness(const DescribedCall& a, const DescribedCall& b, SameCall same = SameCall::Name);

// Every rank is seen from the same place in a grid: two ranks with different neighbours may have the same rank as one of these.
void look_at(const Grid& grid, std::vector<DescribedCall>& calls);

// Describes the calls of all runs with the same numbers.
class CallDescriptions {
 public:
  // `names`: of the calls of this rank in this run.
  std::vector<DescribedCall> of(const Trace& trace, std::size_t run, std::size_t rank,
                                const std::vector<std::uint32_t>& names);

 private:
  std::uint32_t computed_before(const Trace& trace, const Timeline& timeline, std::uint32_t op);
  // Of a message's end; `peer`: where to.
  static void number_inside(const Trace& trace, const MessageEnd& end,
                            int DescribedCall::InCommunicator::*peer, DescribedCall& call);

  std::map<std::pair<const Trace*, CallPathId>, std::uint32_t> paths_;
  std::map<std::string, std::uint32_t> names_;
  std::map<std::vector<std::uint32_t>, std::uint32_t> sets_{{{}, 0}};
};

}  // namespace waitdiag

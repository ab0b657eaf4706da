// The wait-for graph of a run: who cannot go on without whom (rules.hpp). A vertex is a call, or a join: the
// instant at which all members that give something to a collective operation have entered it, so that P
// processes make 2 P edges and not P x P. A prefix operation (MPI_Scan) has one for each of its first members:
// that join's members are the call of that one, and the join before it. An edge leads from what waits to what
// it waits for:
//
//   call -> call     the first cannot be left before the second, of another location, has been entered
//   call -> join     the call cannot be left before all members of the join have been entered
//
// Edges that the times contradict (the call ended before the other began) are left out, unless the times are
// what is in doubt.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "analyzer/trace/sync/rules.hpp"
#include "analyzer/trace/sync/sync_points.hpp"
#include "analyzer/trace/wait_for_graph/call_numbers.hpp"

namespace waitdiag {

class Collective;

struct WaitForEdge {
  OpRef call, on;
  bool may_end_before = false;  // it sees what was written before that call says so
};

// What of a run becomes an edge.
struct WaitForOptions {
  // By message: 1 if its send could not end without its receiver on the recorded machine.
  std::span<const std::uint8_t> needs_receiver{};
  // Waits that were found but have no record of their own.
  std::span<const WaitForEdge> found{};
  // Polls that waited for the collective operation that a later one of their row completes: for all it needs.
  std::span<const OpRef> polls{};
  // Kept: only what is certain, whatever the times say.
  enum class Contradicted : std::uint8_t { LeftOut, Kept } contradicted = Contradicted::LeftOut;
  bool origins = false;  // keep which record each edge comes from
  // Edges that are left out: kinds of them, and classes of collective operations.
  std::vector<WaitsFor> without{};
  std::vector<CallKind> without_collectives{};

  bool has(WaitsFor kind) const { return std::ranges::find(without, kind) == without.end(); }
  bool has(CallKind kind) const {
    return std::ranges::find(without_collectives, kind) == without_collectives.end();
  }
};

class WaitForGraph {
 public:
  using Node = std::uint32_t;  // calls by their number, behind them joins

  WaitForGraph(const Trace& trace, const SyncPoints& sync, const WaitForOptions& options);

  std::size_t calls() const { return numbers_.size(); }
  std::size_t joins() const { return first_member_.size() - 1; }
  Node node(OpRef call) const { return numbers_.number(call); }
  OpRef call(Node node) const { return numbers_.call(node); }
  bool is_call(Node node) const { return node < calls(); }
  std::size_t join(Node node) const { return node - calls(); }  // its number among the joins

  // What a call waits for: calls (their enter) and joins.
  std::span<const Node> of_call(Node call) const {
    return std::span(needs_).subspan(first_need_[call], first_need_[call + 1] - first_need_[call]);
  }
  // What makes up a join: calls, of a prefix operation also the join before; and which call came last.
  std::span<const Node> members(Node join) const {
    const std::size_t i = this->join(join);
    return std::span(members_).subspan(first_member_[i], first_member_[i + 1] - first_member_[i]);
  }
  Node last_of(Node join) const { return last_[this->join(join)]; }
  // The first so many members of a prefix operation; 0: of another operation.
  std::uint32_t prefix(Node join) const { return prefixes_.empty() ? 0 : prefixes_[this->join(join)]; }
  bool has_prefixes() const { return !prefixes_.empty(); }
  // The joins of an operation follow each other; the first one has two members.
  Node first_of_prefix(Node join) const { return join - (prefix(join) - 2); }
  Node last_of_prefix(Node join) const {
    while (this->join(join) + 1 < joins() && prefix(join + 1) == prefix(join) + 1) ++join;
    return join;
  }
  // The first join of the operation that a join belongs to.
  Node first_of(Node join) const { return prefix(join) > 0 ? first_of_prefix(join) : join; }
  // The calls that a join stands for, in order.
  std::size_t count_calls(Node join) const {
    const std::uint32_t first_members = prefix(join);
    return first_members > 0 ? first_members : members(join).size();
  }
  Node call_of(Node join, std::size_t place) const {
    if (prefix(join) == 0) return members(join)[place];
    const Node first = first_of_prefix(join);
    return place == 0 ? members(first).front() : members(first + static_cast<Node>(place) - 1).back();
  }
  template <typename Visit>
  void for_each_call(Node join, Visit visit) const {
    for (std::size_t place = 0; place < count_calls(join); ++place) visit(call_of(join, place));
  }

  // Where the edges of a call come from, one by one; only if that was asked for. `record`: the message of
  // Message and Rendezvous; of edges of collective operations, the waiting one among all members.
  struct Origin {
    WaitsFor kind = WaitsFor::NoRank;
    std::uint32_t record = 0;
  };
  std::span<const Origin> origins(Node call) const {
    return std::span(origins_).subspan(first_need_[call], first_need_[call + 1] - first_need_[call]);
  }
  // The collective operation of a join.
  std::uint32_t instance(Node join) const { return instances_[this->join(join)]; }

  std::span<const Node> all_needs() const { return needs_; }
  std::span<const Node> all_members() const { return members_; }

  // Calls [first, last) of one location, or a single join.
  struct Run {
    Node first = 0, last = 0;
  };
  // All nodes so that what a call waits for comes before it: a call's turn is its leave, which also settles
  // when the next call of its location is entered.
  const std::vector<Run>& order() const { return order_; }

 private:
  friend class TopologicalOrder;
  struct Need {
    Node call, on;
  };
  struct Needs {
    std::vector<Need> edges;
    std::vector<Origin> origins;  // of each, if they are kept
  };
  // Of a block of collective operations; joins are numbered within it.
  struct Joins {
    Needs needs;
    std::vector<std::uint32_t> ends;  // by join: where its members end
    std::vector<Node> members;
    std::vector<Node> last;
    std::vector<std::uint32_t> instances;
    std::vector<std::uint32_t> prefixes;
  };
  std::vector<Needs> needs_of_messages(const SyncPoints& sync, const WaitForOptions& options) const;
  void add_collectives(const SyncPoints& sync, const WaitForOptions& options, std::vector<Needs>& needs);
  void add_collective(const Collective& collective, Joins& block) const;
  void add_join(const Collective& collective, Joins& block) const;
  void add_prefixes(const Collective& collective, Joins& block) const;
  void add_later_ones(const Collective& collective, std::uint32_t member, Joins& block) const;
  void add_polls(std::span<const OpRef> polls, std::span<const Needs> of_collectives, Needs& needs) const;
  void add_epochs(const SyncPoints& sync, const WaitForOptions& options, Needs& needs) const;
  void add_need(OpRef call, OpRef on, Origin origin, Needs& needs) const;
  void add(Need need, Origin origin, Needs& needs) const;
  void sort_needs(const std::vector<Needs>& blocks);

  const Trace& trace_;
  WaitForOptions::Contradicted contradicted_;
  bool keeps_origins_;
  CallNumbers numbers_;
  std::vector<std::uint32_t> first_need_;  // by call, and more
  std::vector<Node> needs_;
  std::vector<Origin> origins_;                 // of these; empty: not kept
  std::vector<std::uint32_t> first_member_{0};  // by join, and one more
  std::vector<Node> members_;
  std::vector<Node> last_;                // by join: the member that came last
  std::vector<std::uint32_t> instances_;  // by join
  std::vector<std::uint32_t> prefixes_;   // by join; empty: all 0
  std::vector<Run> order_;
};

}  // namespace waitdiag

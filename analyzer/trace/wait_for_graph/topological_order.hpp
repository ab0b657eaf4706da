// Puts calls into an order in which everything that a call depends on comes before it: every location
// proceeds until a call needs one that has not been entered yet.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "analyzer/trace/wait_for_graph/wait_for_graph.hpp"

namespace waitdiag {

class TopologicalOrder {
 public:
  TopologicalOrder(const Trace& trace, WaitForGraph& graph);

  // In a cycle (of calls at the very same instant, or in a damaged trace) the call that ended first goes
  // first; its edges are dropped from `graph`, unless edges that the times contradict are kept there as well.
  std::vector<WaitForGraph::Run> find();

 private:
  using Node = WaitForGraph::Node;
  void go_on(std::uint32_t location);
  void append(Node node, bool to_run);
  bool is_ready(std::uint32_t location, Node call, Node& missing);
  bool is_complete(std::uint32_t location, Node join, Node& missing);
  void go_on_with_prefixes(std::size_t first);
  void complete(Node join);
  void sleep(std::uint32_t location, Node missing);
  void wake(std::uint32_t location);
  void start_again();
  void drop_needs_of_cut_calls();
  std::uint32_t stuck_longest() const;

  const Trace& trace_;
  WaitForGraph& graph_;
  std::vector<std::uint32_t> left_;  // by location: how many calls are over
  // By join: how many members have been entered; of the first join of a prefix operation: how many of the
  // operation's joins are complete.
  std::vector<std::uint32_t> seen_;
  std::vector<bool> entered_;   // by call
  std::vector<bool> complete_;  // by join
  // One location watches the next missing member of a join; the others that need the join sleep until it is
  // complete. kNoOp: none. The members of a prefix operation are watched by the operation itself, which sleeps
  // and wakes like a location: its number is that of its first join, behind all locations. The watcher of that
  // join is the last join that is needed.
  std::vector<std::uint32_t> watcher_, join_sleeper_;  // by join
  // By location: the call that it waits for; the first of the locations that wait for one of its own calls;
  // the earliest of these calls. kNoOp: none.
  std::vector<std::uint32_t> missing_op_, sleeper_, earliest_;
  std::vector<std::uint32_t> next_sleeper_;  // by location or operation: the next that waits for the same
  std::vector<bool> asleep_;
  std::vector<std::uint32_t> awake_;
  std::size_t done_ = 0;   // nodes in order_
  std::vector<Node> cut_;  // calls whose needs are dropped to break a cycle
  std::vector<WaitForGraph::Run> order_;
};

}  // namespace waitdiag

// The members of prefix operations (MPI_Scan), those that came last first: waits ask again and again for the few
// that came after some instant.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <unordered_map>
#include <vector>

#include "analyzer/trace/model/fetch.hpp"
#include "analyzer/trace/wait_for_graph/wait_for_graph.hpp"

namespace waitdiag {

class PrefixOperations {
 public:
  void clear() { members_.clear(); }

  // Calls visit(call) for those members of a join of such an operation that were entered after an instant, in
  // their order.
  template <typename Visit>
  void for_each_later(const WaitForGraph& graph, const Trace& trace, WaitForGraph::Node join, Time after,
                      Visit visit) {
    later_.clear();
    for (const Member& member : members_of(graph, trace, graph.first_of_prefix(join))) {
      if (member.enter <= after) break;
      if (member.place < graph.prefix(join)) later_.push_back(member);
    }
    std::ranges::sort(later_, {}, &Member::place);
    for (const Member& member : later_) visit(member.call);
  }

 private:
  struct Member {
    Time enter{};
    WaitForGraph::Node call = 0;
    std::uint32_t place = 0;
  };

  const std::vector<Member>& members_of(const WaitForGraph& graph, const Trace& trace,
                                        WaitForGraph::Node first) {
    std::vector<Member>& members = members_[first];
    if (!members.empty()) return members;
    const WaitForGraph::Node last = graph.last_of_prefix(first);
    graph.for_each_call(last, [&](WaitForGraph::Node node) {
      const OpRef call = graph.call(node);
      fetch(&trace.timeline(call.location).enters()[call.op]);
    });
    graph.for_each_call(last, [&](WaitForGraph::Node call) {
      members.push_back({trace.enter(graph.call(call)), call, static_cast<std::uint32_t>(members.size())});
    });
    std::ranges::stable_sort(members, std::greater<>(), &Member::enter);
    return members;
  }

  std::unordered_map<WaitForGraph::Node, std::vector<Member>> members_;  // by the operation's first join
  std::vector<Member> later_;
};

}  // namespace waitdiag

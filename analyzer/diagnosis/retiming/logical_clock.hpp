// The forward pass of clock correction (see correct_clocks.hpp): every call gets a time that does not
// contradict its causes. Calls are followed by dependency, not by time, because times are in doubt.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <vector>

#include "analyzer/trace/derived/retimed.hpp"
#include "analyzer/trace/sync/sync_points.hpp"
#include "analyzer/trace/wait_for_graph/collective.hpp"
#include "analyzer/trace/wait_for_graph/wait_for_graph.hpp"

namespace waitdiag {

class LogicalClock {
 public:
  LogicalClock(const Trace& trace, const SyncPoints& sync);

  // By how much the leave of a call was moved beyond what its own location requires.
  struct Jump {
    std::uint32_t op = 0;
    Duration length{};
  };
  const NewTimes& times(Location location) const { return times_[index(location)]; }
  const std::vector<Jump>& jumps(Location location) const { return jumps_[index(location)]; }
  // By call: how much later it could be entered without passing its effects elsewhere.
  const std::vector<Duration>& room(Location location) const { return room_[index(location)]; }

 private:
  using Node = WaitForGraph::Node;
  struct Join {       // by its number in the graph
    Location last{};  // the last of its members to begin
    Time last_begin = Time::min(), first_heard = Time::max();
  };

  void follow();
  void enter(OpRef call);
  void leave(OpRef call);
  void complete(Node join);
  void limit_by_joins();

  // What a call had to wait for, except joins: visit(cause, told, way) means that the call cannot be left
  // before `told` + `way`, where `told` moves with the enter of `cause`.
  template <typename Visit>
  void for_each_cause(OpRef call, Visit visit) const;
  template <typename Visit>
  void visit_message(OpRef call, const Message& message, Visit visit) const;
  template <typename Visit>
  void visit_members(OpRef call, WaitForGraph::Origin origin, Visit visit) const;
  // visit(join, collective operation, waiting member of it)
  template <typename Visit>
  void for_each_join(OpRef call, Visit visit);

  bool entered(OpRef call) const { return entered_[index(call.location)] > call.op; }
  Time enter_of(OpRef call) const { return times_[index(call.location)].enter[call.op]; }
  Duration latency(Location a, Location b) const;
  Duration latency(const Collective& collective) const;
  Duration latency_of(const Collective& collective) const;  // the same, kept
  Time begin_of(const Collective& collective, std::uint32_t member) const;
  Duration before_leave(OpRef call, Time recorded) const;
  // The time from when a member has what it waited for until it leaves its call.
  Duration after_end(const Collective& collective, std::uint32_t member) const;

  const Trace& trace_;
  const SyncPoints& sync_;
  WaitForGraph graph_;
  std::vector<NewTimes> times_;  // these by location
  std::vector<std::vector<Jump>> jumps_;
  std::vector<std::vector<Duration>> room_;
  std::vector<std::uint32_t> entered_;  // by location: how many calls
  std::vector<Duration> latencies_;     // by collective operation
  std::vector<Join> joins_;
};

}  // namespace waitdiag

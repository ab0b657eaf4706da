// The forward pass of clock correction (see correct_clocks.hpp): every call gets a time that does not
// contradict its causes. Calls are followed by dependency, not by time, which is what is in doubt.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <vector>

#include "analyzer/trace/model/retimed.hpp"
#include "analyzer/trace/sync/sync_points.hpp"
#include "analyzer/trace/wait_for_graph/wait_for_graph.hpp"

namespace waitdiag {

class LogicalClock {
 public:
  LogicalClock(const Trace& trace, const SyncPoints& sync);

  // The leave of a call was moved by so much behind what its own location would make it.
  struct Jump {
    std::uint32_t op = 0;
    Duration length{};
  };
  const NewTimes& times(Location location) const { return times_[index(location)]; }
  const std::vector<Jump>& jumps(Location location) const { return jumps_[index(location)]; }
  // By call: so much later could it be entered without passing what it causes elsewhere.
  const std::vector<Duration>& room(Location location) const { return room_[index(location)]; }

 private:
  struct Need {
    std::uint32_t op = 0;  // cannot be left before ...
    OpRef on{};            // ... this has been entered
  };
  struct Part {  // in a collective
    std::uint32_t op = 0, instance = 0, member = 0;
  };
  struct Meeting {  // by collective instance
    std::uint32_t to_tell = 0;
    bool by_sources = false;
    Location last{};  // to tell
    Time last_told = Time::min(), first_learned = Time::max();
    Duration latency{};
  };
  struct Place {  // how far a location is
    std::uint32_t entered = 0;
    std::size_t receive = 0, need = 0, told = 0, learned = 0;
  };

  void add_collective(std::uint32_t instance);
  void add_needs(std::span<const std::uint8_t> needs_receiver);
  void sort();
  void follow(const WaitForGraph& graph);
  void enter(Location location, std::uint32_t op);
  void leave(Location location, std::uint32_t op);
  void limit_by_meetings();

  // What call `op` had to wait for, but for meetings: visit(cause, told, way) says that the call cannot be
  // left before `told`, which moves with the enter of `cause`, and then `way` more.
  template <typename Visit>
  void for_each_cause(OpRef call, Visit visit) const;
  template <typename Visit>
  void for_each_source(OpRef call, const Part& part, Visit visit) const;
  void go_past(Location location, std::uint32_t op);

  bool entered(OpRef call) const { return places_[index(call.location)].entered > call.op; }
  Time enter_of(OpRef call) const { return times_[index(call.location)].enter[call.op]; }
  Duration latency(Location a, Location b) const;
  CollectivePart record(Location location, const Part& part) const;
  Time begin_of(Location location, const Part& part) const;
  Duration before_leave(Location location, std::uint32_t op, Time recorded) const;

  const Trace& trace_;
  const SyncPoints& sync_;
  std::vector<NewTimes> times_;  // these by location
  std::vector<std::vector<Jump>> jumps_;
  std::vector<std::vector<Duration>> room_;
  std::vector<std::vector<Need>> needs_;
  std::vector<std::vector<Part>> tells_, learns_;
  std::vector<Place> places_;
  std::vector<Meeting> meetings_;
};

}  // namespace waitdiag

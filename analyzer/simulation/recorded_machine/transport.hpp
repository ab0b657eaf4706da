// How long calls took once everything they wait for had begun: the machine's part of a run.
//
//   sender    ....|send|..........        receiver   |recv---------|
//                 ^ begins                                ~~~~~~~~~ transport
//
// A receive counts from its send, a collective operation from when the last rank came, regardless of who was
// there before. The same is computed for a replayed run, so that both can be compared call path by call path.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <compare>
#include <cstdint>
#include <tuple>
#include <vector>

#include "analyzer/simulation/recorded_machine/clocks.hpp"
#include "analyzer/trace/derived/retimed.hpp"
#include "analyzer/trace/sync/rules.hpp"
#include "analyzer/trace/sync/sync_points.hpp"
#include "analyzer/trace/wait_for_graph/call_numbers.hpp"

namespace waitdiag {

class TransportTimes {
 public:
  // What is examined of a call: about how large its messages are, and how far they go.
  struct Reach {
    std::uint8_t size_class = 0;  // binary digits of the bytes of the largest
    std::uint8_t distance = 0;    // binary digits by which the ranks of its two ends differ, of the farthest
    auto operator<=>(const Reach&) const = default;
  };
  // Such calls of one call path by one rank.
  struct Group {
    std::uint32_t rank = 0;
    CallPathId call_path = kNoCallPath;
    Reach reach{};
    std::uint32_t calls = 0;
    double recorded_ns = 0;  // of all of them
    auto key() const { return std::tuple(rank, call_path, reach); }
  };
  // `detached_bytes`: senders of larger messages wait for their receivers. `clocks`: of the trace's
  // locations.
  TransportTimes(const Trace& trace, const SyncPoints& sync, std::uint64_t detached_bytes,
                 const ClockOffsets& clocks);

  const std::vector<Group>& groups() const { return groups_; }
  // `all`: the times of the run that this one is a part of. Calls are assumed to have been as long as the
  // average there: a part that was cut out of a run does not have the times of a run that ended early.
  void take_recorded_from(const TransportTimes& all);
  // Nanoseconds of them for which other threads had the processor: no part of any network, but that cannot be told in
  // a single call.
  double lost_ns() const { return lost_ns_; }
  // Nanoseconds by group, in a run with these times (by location).
  std::vector<double> in(const std::vector<NewTimes>& times) const;

 private:
  struct Dependence {
    std::uint32_t call = 0, on = 0;  // numbers over all locations
  };
  // A collective operation.
  struct Join {
    std::uint32_t first = 0, last = 0;  // of parts_
    std::uint32_t root = kNoMember;     // one of these
    WaitsFor waits_for = WaitsFor::All;
  };
  struct Call {
    std::uint32_t call = 0, group = 0;
  };
  void add_messages(const Trace& trace, const SyncPoints& sync, std::uint64_t detached_bytes);
  void add_collectives(const Trace& trace, const SyncPoints& sync);
  void leave_out_polls(const Trace& trace);
  void add_groups(const Trace& trace);
  void look_at(std::uint32_t call, std::uint64_t bytes, Rank one, Rank other);
  bool is_examined(std::uint32_t call) const { return reach_[call].size_class != kNotLookedAt; }
  double lost_in(const Trace& trace, const std::vector<std::int64_t>& enter,
                 const std::vector<std::int64_t>& leave) const;
  std::vector<std::int64_t> begins(const std::vector<std::int64_t>& enter,
                                   const std::vector<std::int64_t>& leave) const;
  std::vector<double> sums(const std::vector<std::int64_t>& enter,
                           const std::vector<std::int64_t>& leave) const;

  CallNumbers numbers_;
  double lost_ns_ = 0;
  std::vector<Dependence> dependences_, receivers_;  // of receives on sends; of sends on receives
  std::vector<Dependence> probes_;                   // of receives on the probes before them
  std::vector<Join> joins_;
  std::vector<Dependence> parts_;  // calls that end and that begin a part
  static constexpr std::uint8_t kNotLookedAt = UINT8_MAX;
  std::vector<Reach> reach_;  // by call
  std::vector<Call> calls_;
  std::vector<Group> groups_;
};

}  // namespace waitdiag

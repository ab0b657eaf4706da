// Synchronisation points: messages (a send and its receive) and collective instances (all parts of one
// collective operation). Comes from match(); everything that explains or predicts waiting starts here.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "analyzer/trace/model/trace.hpp"

namespace waitdiag {

// One end is an index into the sends() or receives() of its location.
struct Message {
  Location sender{};
  std::uint32_t send = 0;
  Location receiver{};
  std::uint32_t receive = 0;
};

// Part `part` of the collectives() of `location`; for Init, Finalize and barriers of threads `part` is the
// operation itself.
struct CollectiveMember {
  Location location{};
  std::uint32_t part = 0;
};

constexpr std::uint32_t kNoMember = kNoOp;

struct CollectiveInstance {
  CollectiveKind kind = CollectiveKind::Other;
  CommId comm = kNoComm;
  std::uint32_t root = kNoMember;  // position among the members, kNoMember when not rooted
  std::uint32_t first_member = 0;
  std::uint32_t members = 0;
  bool nonblocking = false;  // started by one call, completed by another
  bool in_parts = false;     // one call, but in parts for some members (parts_of_call.hpp)
  bool in_one_piece() const { return !nonblocking && !in_parts; }
};

// The epochs of one-sided communication (MPI 4.0, 12.5); calls are operations of `location`.
struct AccessEpoch {  // MPI_Win_start to MPI_Win_complete
  Location location{};
  std::uint32_t start = kNoOp, complete = kNoOp;
  std::vector<std::uint32_t> accesses{};  // calls between
  std::vector<OpRef> posts{};             // MPI_Win_post of its targets
};
struct ExposureEpoch {  // MPI_Win_post to MPI_Win_wait
  Location location{};
  std::uint32_t post = kNoOp, wait = kNoOp;
  std::vector<OpRef> completes{};  // MPI_Win_complete of its origins
  Time last_access = Time::min();  // leave of the last of its accesses
};
struct LockEpoch {  // MPI_Win_lock to MPI_Win_unlock of one target
  Location location{};
  std::vector<std::uint32_t> calls{};  // lock, accesses, flushes, unlock
  OpRef previous{};                    // unlock of the previous holder, if the two exclude each other
};

struct CallForProgress {  // accesses, or completes accesses: its target perhaps has to be in MPI
  OpRef call;
  Rank target = kNoRank;  // kNoRank: all of `window`
  CommId window = kNoComm;
  bool operator==(const CallForProgress&) const = default;
};
struct AccessedWindow {  // one process's memory in a window, accessed by others
  CommId window = kNoComm;
  Rank target = kNoRank;
  std::vector<Time> ends{};  // leaves of the calls that accessed it, in time order
};

// Two ranks whose clocks contradict each other: on `to` something ended before what it needs began on `from`.
struct ClockPair {
  Rank from = kNoRank, to = kNoRank;
  std::uint64_t count = 0;
  Duration largest{};
};

// A call that cannot be left before the other one has been entered: a join before the thread's end, the absence of a
// thread before the call that starts it.
struct ThreadNeed {
  OpRef call, on;
};

// What matching found odd, in numbers that a reader of the report can judge.
struct SyncPoints {
  // By receiving location, in the order in which the receives completed; `sent` holds the same messages (as
  // places in `messages`) by sending location, in sending order. `first_...` by location, and one more.
  std::vector<Message> messages;
  std::vector<std::uint32_t> first_received;
  std::vector<std::uint32_t> sent, first_sent;
  std::vector<CollectiveInstance>
      collectives;  // by communicator, in calling order; Init first; last Finalize, barriers of threads
  std::vector<CollectiveMember> members;  // of all instances, in communicator rank order
  std::vector<AccessEpoch> access_epochs;
  std::vector<ExposureEpoch> exposure_epochs;
  std::vector<LockEpoch> lock_epochs;
  std::vector<CallForProgress> calls_for_progress;  // by location, in time order; one for each target
  std::vector<AccessedWindow> accessed_windows;     // by window, target
  std::vector<ThreadNeed> thread_needs;             // within a process
  std::vector<ClockPair> clock_pairs;               // messages received before they were sent, by (from, to)
  Anomalies anomalies;

  // Leaves of the calls that accessed the memory of `target` in `window`, in time order.
  std::span<const Time> accesses_of(CommId window, Rank target) const {
    const auto found = std::lower_bound(
        accessed_windows.begin(), accessed_windows.end(), std::pair(window, target),
        [](const AccessedWindow& a, const auto& key) { return std::pair(a.window, a.target) < key; });
    const bool known = found != accessed_windows.end() && found->window == window && found->target == target;
    return known ? std::span<const Time>(found->ends) : std::span<const Time>();
  }

  std::span<const Message> received_by(Location location) const {
    const std::uint32_t first = first_received[index(location)];
    return std::span(messages).subspan(first, first_received[index(location) + 1] - first);
  }
  std::span<const std::uint32_t> sent_by(Location location) const {
    const std::uint32_t first = first_sent[index(location)];
    return std::span(sent).subspan(first, first_sent[index(location) + 1] - first);
  }
  std::span<const CollectiveMember> members_of(const CollectiveInstance& instance) const {
    return std::span(members).subspan(instance.first_member, instance.members);
  }
};

inline MessageEnd send_end(const Trace& trace, const Message& message) {
  return trace.timeline(message.sender).sends()[message.send];
}
inline MessageEnd receive_end(const Trace& trace, const Message& message) {
  return trace.timeline(message.receiver).receives()[message.receive];
}

// Init and Finalize have no collective record of their own in many archives, and barriers of threads have
// none in any: the call itself is the part.
inline bool by_call(CollectiveKind kind) {
  return kind == CollectiveKind::Init || kind == CollectiveKind::Finalize ||
         kind == CollectiveKind::ThreadBarrier;
}
inline std::uint32_t operation_of(const Trace& trace, const CollectiveInstance& instance,
                                  const CollectiveMember& member) {
  return by_call(instance.kind) ? member.part : trace.timeline(member.location).collectives()[member.part].op;
}

// The call that completed a member's part, where it waited: the same call unless the collective is
// nonblocking.
inline std::uint32_t completion_of(const Trace& trace, const CollectiveInstance& instance,
                                   const CollectiveMember& member) {
  return by_call(instance.kind) ? member.part
                                : trace.timeline(member.location).collectives()[member.part].completed;
}

// Which members a member's data came from: `first` is added to their ranks to get the place among the
// members.
struct Sources {
  std::span<const PeerRun> runs;
  std::uint32_t first = 0;
};
std::optional<Sources> sources_of(const Trace& trace, const CollectiveInstance& instance,
                                  std::uint32_t position, const CollectiveMember& member);

SyncPoints match(const Trace& trace);

}  // namespace waitdiag

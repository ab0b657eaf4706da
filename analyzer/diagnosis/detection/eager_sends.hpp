// Which sends can end without their receiver? MPI libraries copy small messages away (eager) and let large
// ones wait for the receive (rendezvous); a Late Receiver exists only for the latter. The limit is
// seldom known, so it is learned from the trace:
//
//   * Synchronous sends need the receiver, buffered ones do not.
//   * A limit given by the user decides for standard and ready sends.
//   * Otherwise: a send that ended before its receive was posted proves that messages of its size are eager.
//     The largest such size is the limit, and never less than 1 KiB, which every MPI library sends
//     eagerly.
//   * A blocking eager send that took more than 5 times the median of its size class (powers of two,
//     at least 8 sends) was stuck: buffers or credits were used up, and it waited for the receiver
//     after all.
//
// So a small message that merely overlaps with its receive is not a wait.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstdint>

#include "analyzer/diagnosis/patterns/wait_pattern.hpp"
#include "analyzer/trace/sync/sync_points.hpp"

namespace waitdiag {

enum class EagerLimit : std::uint8_t {
  Given,   // by the user
  Learnt,  // from sends of the trace that ended before their receives
  Assumed  // 1 KiB: no larger send did
};

class EagerSends {
 public:
  EagerSends(const Trace& trace, const SyncPoints& sync, std::uint64_t threshold_bytes);

  // The send needs no receiver to end; uses only what the sender decides (send_side_of()).
  bool completes_locally(const MessageView& message) const;
  // The send should not have needed its receiver, but took so long that it must have.
  bool was_stuck(const MessageView& message) const;
  std::uint64_t limit_bytes() const { return limit_bytes_; }
  EagerLimit limit_from() const { return limit_from_; }

 private:
  static constexpr std::size_t kSizeClasses = 65;  // class = number of significant bits of the size
  std::uint64_t limit_bytes_;
  EagerLimit limit_from_;
  std::array<Duration, kSizeClasses> stuck_after_;  // longer blocking sends were stuck
};

}  // namespace waitdiag

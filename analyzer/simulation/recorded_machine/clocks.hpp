// The offsets between the clocks of nodes, from messages in both directions: by as much as one direction
// seems too slow, the other seems too fast.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <vector>

#include "analyzer/trace/sync/sync_points.hpp"

namespace waitdiag {

struct ClockOffsets {
  std::uint64_t contradicting = 0;       // messages that were received before they were sent
  std::vector<std::int64_t> ahead_ns{};  // by location, of the first one's clock; 0 without contradiction
};

// Both its send and its receive were recorded.
inline bool is_whole(const Trace& trace, const Message& message) {
  const MessageEnd &sent = send_end(trace, message), &received = receive_end(trace, message);
  return !sent.cancelled && !received.cancelled && sent.posted != kNoOp && received.completed != kNoOp;
}

// The fastest messages of both directions are assumed to have been equally fast. Nodes without messages in
// both directions to any other keep their clocks.
ClockOffsets clock_offsets(const Trace& trace, const SyncPoints& sync);

}  // namespace waitdiag

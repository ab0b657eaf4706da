// What recorded sends show about how messages are sent: how long a processor is busy with one, and from which
// size on a sender waits for its receiver.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>
#include <span>

#include "analyzer/simulation/machine/machine.hpp"
#include "analyzer/trace/sync/sync_points.hpp"

namespace waitdiag {

// Bytes of the largest message whose sender goes on, where runs do not tell.
constexpr std::uint64_t kUsuallyDetached = 65535;

struct RecordedProtocol {
  std::uint64_t detached_bytes = UINT64_MAX;  // larger ones were seen to wait for their receivers
  std::vector<MessageOverhead> overheads{};   // none: sends take no time
};

struct MatchedRun {
  const Trace& trace;
  const SyncPoints& sync;
};

// Times are medians of each size, so that a disturbed send does not count. `detached_bytes`: if known otherwise.
RecordedProtocol protocol_of(std::span<const MatchedRun> runs,
                             std::optional<std::uint64_t> detached_bytes = std::nullopt);

}  // namespace waitdiag

// The waits found in a trace. Comes from detect(), goes to the delay analysis and the report.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "analyzer/diagnosis/detection/eager_sends.hpp"
#include "analyzer/diagnosis/patterns/registry.hpp"
#include "analyzer/trace/model/trace.hpp"
#include "analyzer/trace/sync/sync_points.hpp"

namespace waitdiag {

// One call that waited for one other call.
struct WaitState {
  OpRef victim;  // the call that waited
  OpRef cause;   // the call it waited for
  Duration wait{};
  std::uint32_t sync = 0;  // index into SyncPoints: messages for point-to-point patterns, else collectives
  PatternId pattern{};
};

// Time of patterns that are listed but are not waiting time of their own (completions, refinements).
struct ListedTime {
  PatternId pattern{};
  Location location{};
  CallPathId call_path = kNoCallPath;
  Duration time{};
  std::uint64_t count = 0;
  Rank late = kNoRank;  // candidates: who was late
};

struct WaitStates {
  std::vector<WaitState> waits;           // by victim: location, then operation
  std::vector<std::uint32_t> first_wait;  // by location; one more than there are locations
  std::vector<ListedTime> listed;         // by pattern, location, call path
  // By message: 1 if its send could not end without its receiver, as far as is known (EagerSends).
  std::vector<std::uint8_t> needs_receiver;
  std::uint64_t eager_limit_bytes = 0;  // standard sends up to here need no receiver
  EagerLimit eager_limit_from = EagerLimit::Assumed;
  // Calls that complete many requests are charged their longest wait; these are all their waits, also by the
  // late rank.
  std::vector<ListedTime> candidates;
  std::vector<ClockPair> clock_pairs;         // collectives that a member left before all it needed had come
  std::vector<ClockPair> window_clock_pairs;  // epochs of windows that ended before those of their partners
  Anomalies anomalies;

  std::span<const WaitState> waits_of(Location location) const {
    const std::uint32_t first = first_wait[index(location)];
    return std::span(waits).subspan(first, first_wait[index(location) + 1] - first);
  }
};

struct DetectOptions {
  bool scalasca = false;                    // only its patterns, and its Late Receiver (any overlap)
  std::uint64_t eager_threshold_bytes = 0;  // 0: learn it from the trace
};

WaitStates detect(const Trace& trace, const SyncPoints& sync, const DetectOptions& options);

}  // namespace waitdiag

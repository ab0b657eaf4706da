// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/trace/sync/idle_gaps.hpp"

namespace waitdiag {

bool is_asleep(const Trace& trace, CallPathId path) {
  const Region& region = trace.region(path);
  if (region.off() == OffReason::Blocked)
    return trace.waited_for(path).value_or(WaitedFor::Sleep) == WaitedFor::Sleep;
  if (region.off()) return false;
  return region.library && region.waits_for() == WaitedFor::Sleep;
}

bool is_idle(const Trace& trace, CallPathId path) {
  const auto off = trace.region(path).off();
  return off == OffReason::Preempted || off == OffReason::Unknown || is_asleep(trace, path);
}

Duration idle_in(const Trace& trace, const Timeline& timeline, std::uint32_t gap, IdleTime which) {
  Duration idle{};
  for (const ComputationPiece& piece : timeline.pieces(gap)) {
    if (piece.call_path == kNoCallPath) continue;
    const bool off = which == IdleTime::Any && trace.region(piece.call_path).off().has_value();
    if (off || is_asleep(trace, piece.call_path)) idle += piece.time;
  }
  return idle;
}

}  // namespace waitdiag

// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/trace/sync/idle_gaps.hpp"

#include <optional>
#include <set>
#include <tuple>

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

bool is_like_pauses(const Trace& trace, const Timeline& timeline,
                    std::pair<std::uint32_t, std::uint32_t> gaps, Duration longest) {
  constexpr double kMostOfIt = 0.5;
  const auto done = [&](CallPathId path) {
    const auto off = path == kNoCallPath ? std::nullopt : trace.region(path).off();
    const auto waited_for = off == OffReason::Blocked
                                ? std::optional(trace.waited_for(path).value_or(WaitedFor::Sleep))
                                : std::nullopt;
    return std::tuple(off ? kNoCallPath : path, off, waited_for);
  };
  const auto [first, gap] = gaps;
  std::set<std::tuple<CallPathId, std::optional<OffReason>, std::optional<WaitedFor>>> before;
  for (std::uint32_t other = first; other < gap; ++other)
    for (const ComputationPiece& piece : timeline.pieces(other)) before.insert(done(piece.call_path));
  Duration all{}, known{}, lost{};
  for (const ComputationPiece& piece : timeline.pieces(gap)) {
    const bool preempted =
        piece.call_path != kNoCallPath && trace.region(piece.call_path).off() == OffReason::Preempted;
    (preempted ? lost : all) += piece.time;
    if (!preempted && before.contains(done(piece.call_path))) known += piece.time;
  }
  const Duration rest = timeline.gap_end(gap) - timeline.gap_begin(gap) - lost;
  return known >= kMostOfIt * all && (rest <= 2 * longest || known >= kMostOfIt * rest);
}

}  // namespace waitdiag

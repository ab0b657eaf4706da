// When threads were not on a processor, and what they waited for, between which calls.
//
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <array>
#include <cstdint>
#include <iterator>

#include "analyzer/results/report_fields.hpp"
#include "analyzer/summary/call_path_labels.hpp"
#include "analyzer/writers/page/encode.hpp"

namespace waitdiag {
namespace {

constexpr std::size_t kReasons = std::size(words::kWaitedFor);

// The place in words::kWaitedFor by call path; 0: a thread that is there is on a processor.
std::vector<std::uint8_t> reasons_of(const Trace& trace) {
  std::vector<std::uint8_t> reasons(trace.call_paths().size());
  for (std::size_t path = 0; path < reasons.size(); ++path) {
    if (!trace.region(CallPathId(path)).off()) continue;
    const auto found = std::ranges::find(words::kWaitedFor, label_of(trace, CallPathId(path)).waited_for);
    reasons[path] = static_cast<std::uint8_t>(found - std::begin(words::kWaitedFor));
  }
  return reasons;
}

}  // namespace

void encode_off_processor(const PageView& view, Columns& columns) {
  const std::vector<std::uint8_t> reason_of = reasons_of(view.trace);
  Column counts, gaps, lengths, reasons;
  for (const PageSelection::Lane& lane : view.selection.lanes) {
    const Timeline& timeline = view.trace.timeline(lane.location);
    std::uint64_t count = 0;
    std::uint32_t previous = lane.first_op;
    for (std::uint32_t gap = lane.first_op; gap <= lane.last_op; ++gap) {
      std::array<Duration, kReasons> off{};
      for (const ComputationPiece& piece : timeline.pieces(gap))
        if (piece.call_path != kNoCallPath) off[reason_of[index(piece.call_path)]] += piece.time;
      for (std::size_t reason = 1; reason < kReasons; ++reason) {
        if (view.times.length(off[reason]) == 0) continue;
        ++count;
        gaps.add(gap - previous);
        previous = gap;
        lengths.add(view.times.length(off[reason]));
        reasons.add(reason);
      }
    }
    counts.add(count);
  }
  columns.add("off", counts);
  columns.add("off_gap", gaps);
  columns.add("off_length", lengths);
  columns.add("off_reason", reasons);
}

}  // namespace waitdiag

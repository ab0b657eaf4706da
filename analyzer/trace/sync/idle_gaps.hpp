// What of the time between two calls a thread did nothing in: it slept, or had no processor.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <utility>

#include "analyzer/trace/model/trace.hpp"

namespace waitdiag {

// What many short waits are for is not recorded: they count as sleep.
bool is_asleep(const Trace& trace, CallPathId path);

// Asleep, or without a processor: whatever else a thread does there, this is none of its work.
bool is_idle(const Trace& trace, CallPathId path);

enum class IdleTime : std::uint8_t { Any, Asleep };
// Any: blocked for whatever reason, or without a processor.
Duration idle_in(const Trace& trace, const Timeline& timeline, std::uint32_t gap, IdleTime which);

// Whether a thread did mostly the same in the gap `gaps.second` as in those between polls from `gaps.first` on, and that
// for most of the gap if it is much longer than these. Time without a processor is none of the thread's.
bool is_like_pauses(const Trace& trace, const Timeline& timeline,
                    std::pair<std::uint32_t, std::uint32_t> gaps, Duration longest);

// Calls visit(what, how much) for what ran in a gap and did not idle: times in nanoseconds under even numbers, samples
// under odd ones.
template <typename Visit>
void for_each_in_gap(const Trace& trace, const Timeline& timeline, std::uint32_t gap, Visit visit) {
  for (const ComputationPiece& piece : timeline.pieces(gap))
    if (piece.call_path != kNoCallPath && !is_idle(trace, piece.call_path))
      visit(std::uint64_t{index(piece.call_path)} << 1, static_cast<double>(piece.time.count()));
  for (const ComputationSample& sample : timeline.samples(gap))
    visit(std::uint64_t{index(sample.call_path)} << 1 | 1, static_cast<double>(sample.weight));
}

}  // namespace waitdiag
